import { describe, expect, it } from "vitest";
import {
  type AuthorizerQuestion,
  apiEnvironment,
  authorizerTypes,
  authorizerValue,
  requestResourceValue,
} from "../api-environment.ts";
import { CelError, formatIssues } from "../errors.ts";
import { toJson } from "../json.ts";
import { STRING } from "../types.ts";

const types = authorizerTypes("kubernetes");
const environment = apiEnvironment({ minor: 34, namespace: "kubernetes", jsonPatch: true }).withVariables([
  { name: "authorizer", type: types.authorizer },
  { name: "authorizer.requestResource", type: types.resourceCheck },
  { name: "long", type: STRING },
]);

function evaluate(text: string, activation: Record<string, unknown> = {}): { value: unknown; cost: number } {
  const compiled = environment.compile(text);
  if (!compiled.ok) throw new Error(formatIssues(compiled.issues));
  let cost = 0;
  const result = compiled.program.evaluate(activation, {
    onCost: (spent) => {
      cost = spent;
    },
  });
  if (result instanceof CelError) return { value: `error: ${result.message}`, cost };
  return { value: toJson(result), cost };
}

/** Expression, value (or "error: ..."), cost in upstream's units. */
type Row = [text: string, value: unknown, cost: number];

const LONG = "'aaaaaaaaaaaaaaaaaaaaaaaaa'";

const TABLES: Record<string, Row[]> = {
  "standard functions": [
    ["size('h\u00e9llo')", 5, 1],
    ["string(duration('1ns'))", "0.000000001s", 0],
    ["string(duration('-2562047h47m16.854775807s'))", "-9223372036.854776s", 0],
    ["'\u{1F600}'.size()", 1, 1],
    ["size([1, 2]) + size({'a': 1})", 3, 3],
    ["'abc'.contains('b')", true, 1],
    [`${LONG}.contains('aaaaaaaaaaaaa')`, true, 6],
    [`${LONG}.startsWith('a')`, true, 3],
    [`${LONG}.endsWith('b')`, false, 3],
    ["'abc'.matches('^[a-c]+$')", true, 2],
    ["matches('abc', 'd')", false, 1],
    ["3 in [1, 2, 3]", true, 0],
    ["'a' in {'a': 1}", true, 1],
    ["'a' + 'b'", "ab", 1],
    [`${LONG} + ${LONG} == ''`, false, 5],
    ["b'ab' + b'c' == b'abc'", true, 2],
    ["'abc' == 'abd'", false, 1],
    [`${LONG} < ${LONG}`, false, 3],
    ["1 == 1", true, 1],
    ["[1, 2] == [1, 2]", true, 1],
    ["type(1) == int", true, 1],
    ["int('42') + int(2.9) + int(3u)", 47, 2],
    ["uint(5) == 5u", true, 1],
    ["double('1.5')", 1.5, 0],
    ["string(1.5) + string(true) + string(7u) + string(b'x')", "1.5true7x", 3],
    ["bool('true')", true, 0],
    ["bytes('ab') == b'ab'", true, 1],
    ["dyn(1) == 1.0", true, 1],
    ["int('x' + 'y')", "error: type conversion error from 'string' to 'int'", 2],
    ["1 / 0", "error: division by zero", 1],
    ["9223372036854775807 + 1", "error: integer overflow", 1],
    ["0u - 1u", "error: unsigned integer overflow", 1],
    ["-9223372036854775808 / -1", "error: integer overflow", 1],
    ["7 % 4 - -7 / 2", 6, 3],
    ["9007199254740993 - 9007199254740992", 1, 1],
    ["3037000500 * 3037000500", "error: integer overflow", 1],
    ["1 < 1.5 && 2u > 1", true, 2],
    ["int(duration('1.5s')) + int(duration('-1ns'))", 1_499_999_999, 1],
    ["[double('NaN')].all(x, x != x)", true, 7],
  ],
  "timestamps and durations": [
    ["timestamp('2024-05-01T10:20:30.5Z').getFullYear()", 2024, 1],
    ["timestamp('2024-05-01T10:20:30.5Z').getMonth()", 4, 1],
    ["timestamp('2024-05-01T10:20:30.5Z').getDate()", 1, 1],
    ["timestamp('2024-05-01T10:20:30.5Z').getDayOfMonth()", 0, 1],
    ["timestamp('2024-05-01T10:20:30.5Z').getDayOfWeek()", 3, 1],
    ["timestamp('2024-05-01T10:20:30.5Z').getDayOfYear()", 121, 1],
    ["timestamp('2024-05-01T10:20:30.5Z').getHours('Europe/Berlin')", 12, 1],
    ["timestamp('2024-05-01T10:20:30.5Z').getMinutes('-00:30')", 50, 1],
    ["timestamp('2024-05-01T10:20:30.5Z').getMinutes('-0:3')", 17, 1],
    ["timestamp('2024-05-01T10:20:30.5Z').getSeconds()", 30, 1],
    ["timestamp('2024-05-01T10:20:30+24:60')", "2024-05-01T10:20:30+25:00", 0],
    [
      "timestamp('2024-05-01T10:20:30+25:' + '00')",
      "error: type conversion error from 'string' to 'google.protobuf.Timestamp'",
      4,
    ],
    ["timestamp('2024-05-01T10:20:30.5Z').getMilliseconds()", 500, 1],
    ["string(timestamp('2024-05-01T10:20:30Z') + duration('1h'))", "2024-05-01T11:20:30Z", 2],
    ["duration('90s').getMinutes()", 1, 1],
    ["duration('1h30m') > duration('80m')", true, 1],
    ["timestamp('2024-05-01T00:00:00Z') - timestamp('2024-04-30T00:00:00Z') == duration('24h')", true, 2],
    ["timestamp('2024-05-01T10:20:30Z').getHours('Nowhere/Land')", "error: unknown time zone Nowhere/Land", 1],
    ["timestamp('2024-05-01T10:20:30Z').getHours('europe/berlin')", "error: unknown time zone europe/berlin", 1],
    ["timestamp('2024-05-01T10:20:30Z').getHours('EUROPE/BERLIN')", "error: unknown time zone EUROPE/BERLIN", 1],
    ["timestamp('2024-05-01T10:20:30Z').getHours('utc')", "error: unknown time zone utc", 1],
    ["timestamp('2024-05-01T10:20:30Z').getHours('US/EASTERN')", "error: unknown time zone US/EASTERN", 1],
    ["timestamp('2024-05-01T10:20:30Z').getHours('IST')", "error: unknown time zone IST", 1],
    ["timestamp('2024-05-01T10:20:30Z').getHours('US/East-Indiana')", 6, 1],
    ["timestamp('2024-05-01T10:20:30Z').getHours('Etc/GMT+5')", 5, 1],
  ],
  lists: [
    ["[1, 2, 2].isSorted()", true, 3],
    ["['b', 'a'].isSorted()", false, 0],
    ["[1, 2, 3].sum()", 6, 3],
    ["[1.5, 2.0].sum()", 3.5, 2],
    ["dyn([1.5, 2.0]).sum()", 3.5, 2],
    ["[3, 1, 2].min()", 1, 3],
    ["['a', 'c', 'b'].max()", "c", 0],
    ["[4, 5, 4].indexOf(4)", 0, 3],
    ["[4, 5, 4].lastIndexOf(4)", 2, 3],
    ["[4].indexOf(9)", -1, 1],
    ["[1].filter(x, x > 1).min()", "error: min called on empty list", 3],
  ],
  "extended lists": [
    ["[1, 2, 3, 4].slice(1, 3)", [2, 3], 13],
    ["[1, 2].slice(1, 3)", "error: cannot slice(1, 3), list is length 2", 12],
    ["[[1], [2, 3]].flatten()", [1, 2, 3], 13],
    ["dyn([1, 2]).flatten()", [1, 2], 13],
    ["lists.range(3)", [0, 1, 2], 14],
    ["[1, 2, 3].reverse()", [3, 2, 1], 14],
    ["[1, 2, 1].distinct()", [1, 2], 29],
    ["[3, 1, 2].sort()", [1, 2, 3], 29],
    ["['bb', 'a'].sortBy(s, s.size())", ["a", "bb"], 50],
  ],
  strings: [
    ["'abc'.charAt(1)", "b", 1],
    ["'abc'.charAt(4)", "error: index out of range: 4", 1],
    ["'tacocat'.indexOf('ac', 1)", 1, 0],
    ["'tacocat'.lastIndexOf('at')", 5, 0],
    [`${LONG}.indexOf('b')`, -1, 2],
    ["'TacoCat'.lowerAscii()", "tacocat", 1],
    ["'TacoC\u00e6t'.upperAscii()", "TACOC\u00e6T", 1],
    ["'hello hello'.replace('he', 'we')", "wello wello", 3],
    ["'hello hello'.replace('he', 'we', 1)", "wello hello", 3],
    ["'hello'.replace('', '_')", "_h_e_l_l_o_", 1],
    ["''.replace('', '_')", "_", 0],
    ["'ab'.replace('', '_', 2)", "_a_b", 1],
    ["'a,b,c'.split(',')", ["a", "b", "c"], 1],
    ["'a,b,c'.split(',', 2)", ["a", "b,c"], 1],
    ["['a', 'b'].join('-')", "a-b", 1],
    ["['a', 'b'].join()", "ab", 1],
    ["'tacocat'.substring(4)", "cat", 1],
    ["'tacocat'.substring(0, 4)", "taco", 1],
    ["'tacocat'.substring(5, 4)", "error: invalid substring range. start: 5, end: 4", 1],
    ["' \\ttrim\\n '.trim()", "trim", 1],
    ["'%s is %d'.format(['x', 3])", "x is 3", 1],
    ["'%e %.1f %f'.format([3.14, -0.25, 1234567.0])", "3.140000×10⁰⁰ -0.2 1,234,567.000000", 1],
    ["'%.16e|%e'.format([0.00015, -1e100])", "  1.500000×10⁻⁰⁴|-1.000000×10¹⁰⁰", 1],
    ["'%b %o %x %X'.format([5, 8u, 'hi', -255])", "101 10 6869 -FF", 2],
    [
      "'%s'.format([[1.5, 'a\\n', b'x', duration('1m'), timestamp('2024-05-01T00:00:00+02:00'), null]])",
      '[1.500000, "a\\n", b"x", duration("60s"), timestamp("2024-05-01T00:00:00+02:00"), null]',
      1,
    ],
    ["'%s'.format([{'b': true, 'a': [int]}])", '{"a":[int], "b":true}', 1],
    ["strings.quote('a\"b')", '"a\\"b"', 1],
  ],
  sets: [
    ["sets.contains([1, 2, 3], [2])", true, 4],
    ["sets.equivalent([1, 2], [2, 1, 1])", true, 13],
    ["sets.intersects([1, 2], [3])", false, 3],
  ],
  regex: [
    ["'abc 123'.find('[0-9]+')", "123", 2],
    ["'abc'.find('x')", "", 1],
    ["'a1b2c3'.findAll('[0-9]')", ["1", "2", "3"], 2],
    ["'a1b2c3'.findAll('[0-9]', 2)", ["1", "2"], 2],
    ["'baaab'.findAll('a*')", ["", "aaa", ""], 1],
    ["'\u{1F600}'.findAll('x*')", ["", ""], 1],
    ["'x'.find('(' + 'a')", "error: Illegal regex: error parsing regexp: missing closing ): `(a`", 2],
  ],
  urls: [
    ["isURL('https://a.example/b')", true, 1],
    ["isURL('../relative')", false, 1],
    ["url('https://example.com:80/').getScheme()", "https", 4],
    ["url('https://example.com:80/').getHost()", "example.com:80", 4],
    ["url('https://[::1]:80/').getHostname()", "::1", 3],
    ["url('https://example.com:80/').getPort()", "80", 4],
    ["url('https://h/a b%20c').getEscapedPath()", "/a%20b%20c", 3],
    ["url('https://h/?k=a&k=b&j=1').getQuery()", { k: ["a", "b"], j: ["1"] }, 4],
    ["url('https://h/') == url('https://h/')", true, 3],
    ["url('/a%2fb c').getEscapedPath()", "/a/b%20c", 2],
    ["url('//h:80/p#f').getHost()", "h:80", 2],
    ["url('/a#b?c').getQuery()", {}, 2],
    ["isURL('*') && url('*').getEscapedPath() == '*'", true, 4],
    ["isURL('http://h#f')", false, 1],
    ["isURL('/a#%zz')", false, 1],
    [
      "url('/?a#%zz')",
      'error: URL parse error during conversion from string: parse "/?a#%zz": invalid URL escape "%zz"',
      1,
    ],
    [
      "url('nope').getHost()",
      'error: URL parse error during conversion from string: parse "nope": invalid URI for request',
      2,
    ],
  ],
  ip: [
    ["isIP('127.0.0.1')", true, 1],
    ["isIP('01.0.0.1')", false, 1],
    ["ip.isCanonical('2001:DB8::1')", false, 3],
    ["ip('::1').family()", 6, 2],
    ["ip('0.0.0.0').isUnspecified()", true, 2],
    ["ip('127.0.0.1').isLoopback()", true, 2],
    ["ip('224.0.0.1').isLinkLocalMulticast()", true, 2],
    ["ip('169.254.1.1').isLinkLocalUnicast()", true, 3],
    ["ip('8.8.8.8').isGlobalUnicast()", true, 2],
    ["string(ip('2001:DB8::1'))", "2001:db8::1", 3],
    ["ip('::1') == ip('0:0:0:0:0:0:0:1')", true, 4],
    ["ip('::ffff:1.2.3.4')", 'error: IPv4-mapped IPv6 address "::ffff:1.2.3.4" is not allowed', 2],
  ],
  cidr: [
    ["isCIDR('10.0.0.0/8')", true, 1],
    [
      "cidr('abc')",
      `error: ${"network address parse error during conversion from string: ".repeat(2)}netip.ParsePrefix("abc"): no '/'`,
      1,
    ],
    ["cidr('10.0.0.0/8').containsIP('10.1.2.3')", true, 3],
    ["cidr('10.0.0.0/8').containsIP(ip('11.0.0.1'))", false, 3],
    ["cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16')", true, 6],
    ["cidr('10.0.0.0/8').containsCIDR(cidr('0.0.0.0/0'))", false, 5],
    ["string(cidr('192.168.7.5/20').masked())", "192.168.0.0/20", 4],
    ["string(cidr('192.168.7.5/20').ip())", "192.168.7.5", 4],
    ["cidr('::/64').prefixLength()", 64, 2],
  ],
  quantity: [
    ["isQuantity('10Mi')", true, 1],
    ["isQuantity('10Zz')", false, 1],
    ["quantity('1500m').isInteger()", false, 2],
    ["quantity('5k').asInteger()", 5000, 2],
    ["quantity('1500m').asApproximateFloat()", 1.5, 2],
    ["sign(quantity('-5'))", -1, 2],
    ["quantity('-5').sign()", -1, 2],
    ["quantity('1k').add(quantity('1k')).compareTo(quantity('2k'))", 0, 5],
    ["quantity('5').add(5) == quantity('10')", true, 4],
    ["quantity('2Mi').sub(quantity('1Mi')) == quantity('1Mi')", true, 5],
    ["quantity('5').sub(10).isLessThan(quantity('0'))", true, 4],
    ["quantity('1Gi').isGreaterThan(quantity('1G'))", true, 3],
    ["quantity('1.5').asInteger()", "error: cannot convert value to integer", 2],
  ],
  format: [
    ["format.dns1123Label().validate('my-label')", null, 9],
    ["format.dns1123Label().validate('My_Label').hasValue()", true, 10],
    ["format.named('dns1123Subdomain').value().validate('a.b')", null, 17],
    ["format.named('nothing').hasValue()", false, 2],
    ["format.qualifiedName().validate('a/b')", null, 16],
    ["format.dns1123LabelPrefix().validate('my-label-')", null, 9],
    ["format.labelValue().validate('-').hasValue()", true, 12],
    ["format.uri().validate('https://a/b')", null, 553],
    ["format.uuid().validate('123e4567-e89b-12d3-a456-426614174000')", null, 89],
    ["format.byte().validate('YWI=')", null, 22],
    ["format.date().validate('2024-02-30').value()", ["invalid date"], 46],
    ["format.datetime().validate('2024-02-28T00:00:00Z')", null, 67],
    ["format.datetime().validate('2024-02-28t00:00:00z')", null, 67],
    ["format.byte().validate('').value()", ["invalid base64"], 23],
    ["format.dns1123LabelPrefix().validate('-').hasValue()", true, 10],
    ["format.uri().validate('/a b')", null, 277],
  ],
  semver: [
    ["isSemver('1.2.3-alpha.1+build')", true, 2],
    ["isSemver('1.2')", false, 1],
    ["isSemver('v1.02', true)", true, 1],
    ["semver('1.2.3').major() + semver('1.2.3').minor() + semver('1.2.3').patch()", 6, 8],
    ["semver('1.2.3').isLessThan(semver('1.10.0'))", true, 3],
    ["semver('1.0.0').isGreaterThan(semver('1.0.0-rc.1'))", true, 3],
    ["semver('1.0.0-a.2').compareTo(semver('1.0.0-a.10'))", -1, 3],
    ["semver('1.0.0+a') == semver('1.0.0+b')", true, 3],
    ["semver('1.2')", "error: No Major.Minor.Patch elements found", 1],
    ["semver('x.2.3')", 'error: Invalid character(s) found in major number "x"', 1],
    ["semver('1.02.3')", 'error: Minor number must not contain leading zeroes "02"', 1],
    ["semver('1.2.3.4')", 'error: Invalid character(s) found in patch number "3.4"', 1],
    ["semver('1.2.3-a_b')", 'error: Invalid character(s) found in prerelease "a_b"', 1],
    ["semver('1.2.3-01')", 'error: Numeric PreRelease version must not contain leading zeroes "01"', 1],
    ["semver('1.2.3+')", "error: Build meta data is empty", 1],
    ["semver('1..3')", 'error: strconv.ParseUint: parsing "": invalid syntax', 1],
    ["semver('true', true)", 'error: Invalid character(s) found in major number "0true"', 1],
    ["semver('1.2-rc', true)", "error: short version cannot contain PreRelease/Build meta data", 1],
    ["semver('v01.002', true).minor()", 2, 2],
  ],
  optional: [
    ["optional.of(1).value()", 1, 2],
    ["optional.none().orValue(3)", 3, 1],
    ["optional.ofNonZeroValue('').hasValue()", false, 2],
    ["optional.ofNonZeroValue(timestamp('0001-01-01T00:00:00Z')).hasValue()", false, 2],
    ["[1, 2].first().value() + [1, 2].last().value()", 3, 5],
    ["[1].filter(x, x > 1).first()", null, 4],
    ["{'a': 1}[?'b'].or(optional.of(2)).value()", 2, 3],
    ["{'a': 1}.?a.optMap(x, x + 1)", 2, 9],
    ["optional.none().value()", "error: optional.none() dereference", 2],
    ["[?optional.of(1), ?optional.none()]", [1], 12],
  ],
  "two-variable comprehensions": [
    ["[1, 2].all(i, v, i < v)", true, 13],
    ["{'a': 1}.exists(k, v, k == 'a' && v == 1)", true, 9],
    ["[5, 6].existsOne(i, v, i == 1)", true, 8],
    ["[5, 6].transformList(i, v, i + v)", [5, 7], 31],
    ["{'a': 1}.transformMap(k, v, v * 2)", { a: 2 }, 6],
    ["[5].transformMapEntry(i, v, {string(v): i})", { "5": 0 }, 36],
    ["[1, 2].transformMapEntry(i, v, {'a': v})", "error: insert failed: key a already exists", 67],
  ],
  jsonpatch: [["jsonpatch.escapeKey('a/b~c')", "a~1b~0c", 1]],
};

for (const [library, rows] of Object.entries(TABLES)) {
  describe(`the ${library} library`, () => {
    it.each(rows)("evaluates %s to %j at cost %d", (text, value, cost) => {
      expect(evaluate(text)).toEqual({ value, cost });
    });
  });
}

describe("the authorizer library", () => {
  const asked: AuthorizerQuestion[] = [];
  const port = {
    check(question: AuthorizerQuestion) {
      asked.push(question);
      return {
        allowed: question.verb === "get",
        reason: "because",
        ...(question.verb === "fail" ? { error: "broken" } : {}),
      };
    },
  };
  const request = { group: "apps", resource: "deployments", subresource: "", namespace: "n", name: "d" };
  const activation = {
    authorizer: authorizerValue(types, port),
    "authorizer.requestResource": requestResourceValue(types, port, request),
  };

  it.each<Row>([
    ["authorizer.path('/x').check('get').allowed()", true, 350_003],
    ["authorizer.path('').check('get').allowed()", "error: path must not be empty", 350_003],
    ["authorizer.group('').resource('pods').namespace('n').name('p').check('list').allowed()", false, 350_006],
    ["authorizer.group('apps').resource('deployments').subresource('scale').check('get').reason()", "because", 350_005],
    ["authorizer.requestResource.check('get').allowed()", true, 350_002],
    ["authorizer.serviceAccount('n', 'robot').path('/x').check('fail').errored()", true, 350_004],
    ["authorizer.path('/x').check('fail').error()", "broken", 350_003],
    [
      "authorizer.serviceAccount('N', 'robot').path('/x').check('get').allowed()",
      "error: Invalid service account namespace",
      350_004,
    ],
    [
      "authorizer.group('').resource('pods').fieldSelector('a=b').labelSelector('c').check('get').allowed()",
      true,
      350_176,
    ],
  ])("evaluates %s to %j at cost %d", (text, value, cost) => {
    expect(evaluate(text, activation)).toEqual({ value, cost });
  });

  it("passes on everything that the expression said", () => {
    asked.length = 0;
    evaluate(
      "authorizer.serviceAccount('n', 'robot').group('g').resource('r').fieldSelector('f').check('get').allowed()",
      activation,
    );
    expect(asked).toEqual([
      {
        kind: "resource",
        group: "g",
        resource: "r",
        subresource: "",
        namespace: "",
        name: "",
        verb: "get",
        fieldSelector: "f",
        labelSelector: "",
        subject: { namespace: "n", name: "robot" },
      },
    ]);
  });

  it("allows two checks in one evaluation and not three", () => {
    const check = "authorizer.path('/x').check('get').allowed()";
    expect(evaluate(`${check} && ${check}`, activation).value).toBe(true);
    expect(evaluate(`${check} && ${check} && ${check}`, activation).value).toContain("cost limit exceeded");
  });
});

describe("a text that is too long to be searched", () => {
  it.each(["long.find('a')", "long.findAll('a')", "long.matches('(?i)a')"])("is told of by %s", (text) => {
    expect(evaluate(text, { long: "a".repeat(300_000) }).value).toBe(
      "error: a text of more than 262144 characters cannot be searched",
    );
  });
});
