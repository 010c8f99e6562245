// Requirements: document 2, "Client credential plugin": the table of fields.

import { describe, expect, it } from "vitest";
import { KubeconfigError } from "../kubeconfig.ts";
import { type ExecSettings, readExecSettings } from "./exec-settings.ts";

const PLATFORM = "client.authentication.platform.io";
const UPSTREAM = "client.authentication.k8s.io";
const V1 = { apiVersion: `${PLATFORM}/v1`, command: "plugin", interactiveMode: "Never" };
const read = (settings: object): ExecSettings =>
  readExecSettings({ settings: settings as never, at: "users[0].user.exec", folder: "/etc/client" }, "ann");

describe("the settings of a plug-in", () => {
  it.each([`${PLATFORM}/v1`, `${PLATFORM}/v1beta1`, `${UPSTREAM}/v1`, `${UPSTREAM}/v1beta1`])(
    "may be of version %s",
    (apiVersion) => {
      const dialect = apiVersion.startsWith(PLATFORM) ? "platform" : "kubernetes";
      expect(read({ ...V1, apiVersion })).toMatchObject({ apiVersion, dialect });
    },
  );

  it("have defaults", () => {
    const { apiVersion, command } = V1;
    expect(read({ apiVersion: `${apiVersion}beta1`, command })).toEqual({
      dialect: "platform",
      apiVersion: `${apiVersion}beta1`,
      command: "plugin",
      args: [],
      env: [],
      installHint: "",
      provideClusterInfo: false,
      interactiveMode: "IfAvailable",
    });
  });

  it.each([
    ["plugin", "plugin"],
    ["./plugin", "/etc/client/plugin"],
    ["bin/plugin", "/etc/client/bin/plugin"],
    ["../plugin", "/etc/plugin"],
    ["/bin/plugin", "/bin/plugin"],
  ])("have a command %s, which is %s", (command, expected) => {
    expect(read({ ...V1, command }).command).toBe(expected);
  });

  it.each<[string, object, RegExp]>([
    ["no command", { ...V1, command: "" }, /exec\.command \(exec plug-in of user "ann"\): must be specified/],
    ["a command that is no text", { ...V1, command: 7 }, /exec\.command .*text is expected/],
    ["no apiVersion", { ...V1, apiVersion: undefined }, /exec\.apiVersion .*must be specified/],
    ["an unknown version", { ...V1, apiVersion: `${PLATFORM}/v1alpha1` }, /invalid apiVersion ".*v1alpha1"/],
    ["a foreign group", { ...V1, apiVersion: "example.io/v1" }, /invalid apiVersion/],
    ["no mode in v1", { ...V1, interactiveMode: undefined }, /exec\.interactiveMode .*must be specified/],
    ["an unknown mode", { ...V1, interactiveMode: "Sometimes" }, /unknown interactiveMode "Sometimes"/],
    [
      "an unknown mode in v1beta1",
      { ...V1, apiVersion: `${PLATFORM}/v1beta1`, interactiveMode: "never" },
      /unknown interactiveMode "never"/,
    ],
    ["args that are no list", { ...V1, args: "x" }, /exec\.args .*a list is expected/],
    ["an arg that is no text", { ...V1, args: [1] }, /exec\.args .*texts/],
    ["a variable without a name", { ...V1, env: [{ value: "x" }] }, /exec\.env .*must have a name/],
    ["a variable that is none", { ...V1, env: ["A=b"] }, /exec\.env .*objects/],
    ["a flag that is none", { ...V1, provideClusterInfo: "yes" }, /exec\.provideClusterInfo .*true or false/],
  ])("are refused with %s", (_what, settings, message) => {
    expect(() => read(settings)).toThrow(message);
    expect(() => read(settings)).toThrow(KubeconfigError);
  });
});
