// A reporter of tests that passed only at their second try: they are not green, and the end of the run names them.

export default class SecondTries {
  #names = [];

  onTestCaseResult(test) {
    if (test.diagnostic()?.flaky === true) this.#names.push(`${test.module.relativeModuleId}: ${test.fullName}`);
  }

  onTestRunEnd() {
    for (const name of this.#names) console.log(`second try: ${name}`);
    if (this.#names.length === 0) console.log("second try: nothing");
  }
}
