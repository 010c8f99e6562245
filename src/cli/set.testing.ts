// What `pctl set` does, to objects of a server and to files.

import { beforeAll, expect, it } from "vitest";
import type { CliServer } from "./cli.testing.ts";

export function describeSet(given: () => CliServer): void {
  let server: CliServer;
  beforeAll(async () => {
    server = given();
    await server.run("create deployment set --image=web:1");
    await server.run("create cronjob tick --image=tick:1 --schedule=@daily");
    await server.run("create configmap settings --from-literal=log.level=info --from-literal=other=x");
    await server.run("create secret generic keys --from-literal=token=secret");
    await server.run("create service clusterip set --tcp=80");
    await server.run("create rolebinding readers --clusterrole=view --user=ann");
  });

  const at = async (object: string, path: string) =>
    JSON.parse((await server.run(`get ${object} -o jsonpath=${path}`)).out || "null");
  const container = "{.spec.template.spec.containers[0]}";
  const said: CliServer["out"] = (line, stdin) => server.out(line, stdin);
  const failure = async (line: string, stdin?: string) => {
    const ran = await server.run(line, stdin);
    expect([ran.code, ran.out]).toEqual([1, ""]);
    return ran.err;
  };

  it("sets variables, changes them and takes them away", async () => {
    expect(await said("set env deploy/set A=1 B=2=3 -e C=4")).toBe("deployment.apps/set env updated\n");
    expect(await said("set env deploy/set A=1")).toBe("deployment.apps/set env updated (no change)\n");
    expect(await said("set env deploy/set B- A=5")).toBe("deployment.apps/set env updated\n");
    expect((await at("deploy set", container)).env).toEqual([
      { name: "C", value: "4" },
      { name: "A", value: "5" },
    ]);
    expect(await failure("set env deploy/set A=6 --overwrite=false")).toContain("--overwrite is false");
    expect(await failure("set env deploy/set -c nobody A=6")).toBe('error: unable to find container named "nobody"\n');
    expect(await failure("set env deploy/set")).toContain("at least one variable");
    expect(await failure("set env deploy/set A=1 A-")).toContain('"A" can not be both set and removed');
    expect(await said("set env deploy/set A- C-")).toBe("deployment.apps/set env updated\n");
    expect((await at("deploy set", container)).env).toBeUndefined();
  });

  it("sets variables from what another object holds, and lists them", async () => {
    await said("set env deploy/set --from=configmap/settings --keys=log.level --prefix=APP_");
    await said("set env deploy/set --from=secret/keys D=4");
    await said("set env deploy/set -", "# a comment\nE=5\n");
    expect(await said("set env deploy/set --list")).toBe(
      "# Deployment set, container web\n# APP_LOG_LEVEL from configmap settings, key log.level\nD=4\n" +
        "# TOKEN from secret keys, key token\nE=5\n",
    );
    expect(await said("set env deploy/set --list --resolve")).toContain("TOKEN=secret\n");
    expect(await failure("set env deploy/set --from=configmap/settings --keys=none")).toContain('no key "none"');
    expect(await failure("set env deploy/set --from=service/set")).toContain("must be a ConfigMap or a Secret");
  });

  it("lists what references to the pod's own fields and resources lead to", async () => {
    const from = (name: string, valueFrom: object) => ({ name, valueFrom });
    const field = (name: string, fieldPath: string) => from(name, { fieldRef: { fieldPath } });
    const container = {
      name: "c",
      image: "i",
      resources: { limits: { memory: "1025Ki" }, requests: { cpu: "1500m" } },
      env: [
        { name: "PLAIN", value: "1" },
        field("SPACE", "metadata.namespace"),
        field("TIER", "metadata.labels['tier']"),
        field("ACCOUNT", "spec.serviceAccountName"),
        field("NAME", "metadata.name"),
        from("CPU", { resourceFieldRef: { resource: "requests.cpu" } }),
        from("MEMORY", { resourceFieldRef: { resource: "limits.memory", divisor: "1Mi" } }),
        from("OTHER", { resourceFieldRef: { resource: "limits.cpu", containerName: "side" } }),
        from("NOTHING", { configMapKeyRef: { name: "settings", key: "none", optional: true } }),
      ],
    };
    const spec = { nodeName: "resolved", containers: [container, { name: "side", image: "i" }] };
    const metadata = { labels: { tier: "web" } };
    const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "told", ...metadata }, spec };
    const { nodeName: _, ...unplaced } = spec;
    const template = { metadata, spec: unplaced };
    const workload = { apiVersion: "v1", kind: "PodTemplate", metadata: { name: "told" }, template };
    await said("create serviceaccount default");
    await said("create -f -", JSON.stringify({ apiVersion: "v1", kind: "Node", metadata: { name: "resolved" } }));
    await said('patch node resolved --subresource=status --type=merge -p {"status":{"allocatable":{"cpu":"3"}}}');
    for (const object of [pod, workload]) await said("create -f -", JSON.stringify(object));
    const common = "PLAIN=1\nSPACE=default\nTIER=web\nACCOUNT=default\n";
    expect(await said("set env pod/told -c c --list --resolve")).toBe(
      `# Pod told, container c\n${common}NAME=told\nCPU=2\nMEMORY=2\nOTHER=3\n` +
        "# NOTHING from configmap settings, key none\n",
    );
    expect(await server.run("set env podtemplate/told -c c --list --resolve")).toEqual({
      code: 1,
      out:
        `# PodTemplate told, container c\n${common}# NAME from field path metadata.name\nCPU=2\nMEMORY=2\n` +
        "# OTHER from resource field side/limits.cpu\n# NOTHING from configmap settings, key none\n",
      err:
        "error retrieving reference for NAME: every pod has its own metadata.name\n" +
        "error retrieving reference for OTHER: no limits.cpu is set: it is what the node of a pod has\n",
    });
  });

  it("finds the containers of a CronJob, and of a file without asking anybody", async () => {
    expect(await said("set image cj/tick tick=tick:2")).toBe("cronjob.batch/tick image updated\n");
    const [made] = await at("cj tick", "{.spec.jobTemplate.spec.template.spec.containers}");
    expect(made.image).toBe("tick:2");
    const pod = '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[{"name":"c"}]}}';
    const before = server.asked.length;
    const local = await said("set resources --local -f - --requests=cpu=1 -o json", pod);
    expect(JSON.parse(local).spec.containers).toEqual([{ name: "c", resources: { requests: { cpu: "1" } } }]);
    expect(server.asked.length).toBe(before);
    expect(await failure("set image svc/set a=b")).toBe('error: Service "set" has no containers\n');
  });

  it("sets what containers may use, beside what they have", async () => {
    await said("set resources deploy set --limits=cpu=200m,memory=512Mi --requests=cpu=100m");
    await said("set resources deploy set -c w*b --limits=cpu=300m");
    expect((await at("deploy set", container)).resources).toEqual({
      limits: { cpu: "300m", memory: "512Mi" },
      requests: { cpu: "100m" },
    });
    expect(await failure("set resources deploy set --limits=cpu=much")).toContain('"much" is no amount of cpu');
    expect(await failure("set resources deploy set")).toContain("--limits or --requests is needed");
  });

  it("sets whom pods run as, what a Service selects, and who has a role", async () => {
    await said("set serviceaccount deployment set bot");
    await said("set sa deployment set robot");
    const spec = await at("deploy set", "{.spec.template.spec}");
    expect([spec.serviceAccountName, spec.serviceAccount]).toEqual(["robot", "robot"]);
    expect(await said("set selector svc set a=b,c=d")).toBe("service/set selector updated\n");
    expect(await said("set selector svc set e=f")).toBe("service/set selector updated\n");
    expect(await at("svc set", "{.spec.selector}")).toEqual({ e: "f" });
    expect(await failure("set selector deploy set e=f")).toContain("only of a Service");
    expect(await failure("set selector svc set e=g --resource-version=1")).toContain("expected the version 1");
    await said("set subject rolebinding readers --user=ann --group=all --serviceaccount=default:bot");
    const names = (await at("rolebinding readers", "{.subjects}")).map(
      ({ kind, name }: { kind: string; name: string }) => `${kind} ${name}`,
    );
    expect(names).toEqual(["User ann", "Group all", "ServiceAccount bot"]);
    expect(await failure("set subject svc set --user=ann")).toContain("only bindings have subjects");
  });

  it("loses nothing of what others change at the same time", async () => {
    const names = ["F", "G", "H", "I"];
    await Promise.all(names.map((name) => said(`set env deploy/set ${name}=1`)));
    const env: { name: string }[] = (await at("deploy set", container)).env;
    expect(names.filter((name) => !env.some((variable) => variable.name === name))).toEqual([]);
  });
}
