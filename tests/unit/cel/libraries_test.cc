#include "tests/support/catch.h"
#include "tests/unit/cel/support.h"

namespace fedra::cel::libraries_test {
namespace {

// Expressions that must be true. More, with what the real library answers, are in tests/data/cel.
void AllTrue(std::initializer_list<const char*> expressions) {
  for (const char* expression : expressions) {
    INFO(expression);
    CHECK(SubRequest(expression) == "true");
  }
}

struct Expected {
  const char* expression;
  const char* answer;
};

void Answers(std::initializer_list<Expected> cases) {
  for (const Expected& expected : cases) {
    INFO(expected.expression);
    CHECK(SubRequest(expected.expression) == expected.answer);
  }
}

TEST_CASE("strings count code points, not bytes") {
  AllTrue({"'héllo'.size() == 5",
           "'héllo'.charAt(1) == 'é'",
           "'héllo'.indexOf('l') == 2",
           "'héllo'.lastIndexOf('l') == 3",
           "'héllo'.substring(1, 3) == 'él'",
           "'héllo'.charAt(5) == ''",
           "'ab'.split('') == ['a', 'b']",
           "'é,b'.split(',') == ['é', 'b']",
           "'a,b,c'.split(',', 2) == ['a', 'b,c']",
           "'a,b'.split(',', 0) == []",
           "''.split(',') == ['']",
           "''.split('') == []",
           "'abab'.replace('a', 'x') == 'xbxb'",
           "'abab'.replace('a', 'x', 1) == 'xbab'",
           "'é'.replace('', '-') == '-é-'",
           "'HéLLO'.lowerAscii() == 'héllo'",
           "'héllo'.upperAscii() == 'HéLLO'",
           "'\\u00a0 a \\u2003'.trim() == 'a'",
           "['a', 'b'].join('-') == 'a-b'",
           "[].join() == ''",
           "['', ''].join(',') == ','",
           "strings.quote('a\"b\\n') == '\"a\\\\\"b\\\\n\"'",
           "'tacocat'.indexOf('a', 3) == 5",
           "'abc'.indexOf('', 2) == 2",
           "'abc'.lastIndexOf('') == 3"});
  Answers({{"'abc'.charAt(4) == ''", "error: index out of range: 4"},
           {"'abc'.substring(2, 1) == ''", "error: invalid substring range. start: 2, end: 1"},
           {"'abc'.substring(-1) == ''", "error: index out of range: -1"},
           {"'abc'.indexOf('a', -1) == 0", "error: index out of range: -1"}});
}

TEST_CASE("format") {
  AllTrue({"'%d%%'.format([5]) == '5%'", "'%s'.format(['a']) == 'a'",
           "'%.2f'.format([12345.678]) == '12,345.68'", "'%f'.format([-1.5]) == '-1.500000'",
           "'%e'.format([12345.678]) == '1.234568×10⁰⁴'", "'%x'.format([255]) == 'ff'",
           "'%X'.format(['hi']) == '6869'", "'%b'.format([5]) == '101'", "'%o'.format([8]) == '10'",
           "'%b'.format([true]) == '1'", "'%s'.format([[1, 2]]) == '[1, 2]'",
           "'%s'.format([{'b': 1, 'a': 2}]) == '{\"a\":2, \"b\":1}'",
           "'%s'.format([['a', 'b']]) == '[\"a\", \"b\"]'", "'%f'.format(['NaN']) == 'NaN'",
           "'%f'.format(['-Infinity']) == '-∞'", "'%s'.format([duration('90s')]) == '90s'",
           "'%s'.format([null]) == 'null'", "'%s'.format([1.5]) == '1.5'"});
}

TEST_CASE("conversions") {
  AllTrue({"int('-5') == -5",
           "int(3.9) == 3",
           "uint('7') == 7u",
           "double('1.5e3') == 1500.0",
           "string(1.0) == '1'",
           "string(1e6) == '1e+06'",
           "string(123456.0) == '123456'",
           "bool('T')",
           "!bool('false')",
           "bytes('é').size() == 2",
           "string(b'abc') == 'abc'",
           "int(timestamp('1970-01-01T00:01:00Z')) == 60",
           "int(duration('1s')) == 1000000000",
           "double('inf') > 1e308",
           "string(true) == 'true'",
           "string(5u) == '5'",
           "type(1) == int",
           "dyn(1) == 1",
           "string(duration('1h30m')) == '5400s'",
           "string(timestamp('2020-01-02T03:04:05.120+01:00')) == '2020-01-02T03:04:05.12+01:00'"});
  Answers(
      {{"int(dyn('x')) == 1", "compile: type conversion error from 'string' to 'int'"},
       {"int(device.driver) == 1", "error: type conversion error from 'string' to 'int'"},
       {"int(1e300) == 1", "compile: integer overflow"},
       {"uint(-1) == 1u", "compile: unsigned integer overflow"},
       {"double('1e400') > 0.0", "compile: type conversion error from 'string' to 'double'"},
       {"string(b'\\xff') == ''", "compile: invalid UTF-8 in bytes, cannot convert to string"}});
}

TEST_CASE("arithmetic checks its range") {
  AllTrue({"7 / 2 == 3", "-7 / 2 == -3", "-7 % 3 == -1", "7u % 4u == 3u", "1.0 / 0.0 > 1e308",
           "-1.0 / 0.0 < -1e308", "0.0 / 0.0 != 0.0 / 0.0", "[1] + [2] == [1, 2]",
           "'a' + 'b' == 'ab'", "b'a' + b'b' == b'ab'"});
  Answers({{"9223372036854775807 + 1 == 0", "error: integer overflow"},
           {"-9223372036854775808 - 1 == 0", "error: integer overflow"},
           {"-(-9223372036854775808) == 0", "error: integer overflow"},
           {"-9223372036854775808 / -1 == 0", "error: integer overflow"},
           {"-9223372036854775808 % -1 == 0", "error: integer overflow"},
           {"9223372036854775807 * 2 == 0", "error: integer overflow"},
           {"0u - 1u == 0u", "error: unsigned integer overflow"},
           {"1 / 0 == 0", "error: division by zero"},
           {"1u % 0u == 0u", "error: modulus by zero"},
           {"0.0 / 0.0 < 1.0", "error: NaN values cannot be ordered"}});
}

TEST_CASE("numbers of different types compare by value") {
  AllTrue({"1 == dyn(1.0)", "dyn(1u) == 1", "1 < 1.5", "2u > 1", "-1 < 0u",
           "dyn(9223372036854775807) < 9.3e18", "1 in [dyn(1.0)]", "{1: 'a'}[dyn(1.0)] == 'a'",
           "{dyn(1): 'a', dyn(1u): 'b'}.size() == 2"});
}

TEST_CASE("lists and sets") {
  AllTrue({"[3, 1, 2].sort() == [1, 2, 3]",
           "['b', 'a'].sort() == ['a', 'b']",
           "[1, 2, 3].reverse() == [3, 2, 1]",
           "[dyn(1), dyn(2), dyn(2.0)].distinct().size() == 2",
           "[[1], [2, 3]].flatten() == [1, 2, 3]",
           "[1, 2, 3].slice(1, 3) == [2, 3]",
           "lists.range(3) == [0, 1, 2]",
           "[1, 2].isSorted()",
           "[1, 2, 3].sum() == 6",
           "[1.5, 2.5].sum() == 4.0",
           "[3, 1].min() == 1",
           "['a', 'c'].max() == 'c'",
           "[1, 2, 1].indexOf(1) == 0",
           "[1, 2, 1].lastIndexOf(1) == 2",
           "[1, 2].indexOf(5) == -1",
           "['aa', 'b'].sortBy(s, s.size()) == ['b', 'aa']",
           "sets.contains([1, 2], [1])",
           "sets.equivalent([1, 1], [1])",
           "sets.intersects([1], [1, 2])",
           "!sets.intersects([], [1])",
           "[duration('1s')].sum() == duration('1s')"});
  Answers({{"[1].slice(0, 2) == []", "error: cannot slice(0, 2), list is length 1"},
           {"[].max() == 1", "error: max called on empty list"},
           {"[1][1] == 1", "error: index out of bounds: 1"},
           {"[1][dyn('a')] == 1", "error: unsupported index type 'string' in list"},
           {"[1, 2][dyn(1.0)] == 2", "true"}});
}

TEST_CASE("macros with two variables") {
  AllTrue({"[5].all(i, v, i == 0 && v == 5)", "{'a': 1}.exists(k, v, k == 'a' && v == 1)",
           "[1, 2].transformList(i, v, i + v) == [1, 3]",
           "[1, 2].transformList(i, v, v > 1, v) == [2]",
           "{'a': 1}.transformMap(k, v, v + 1) == {'a': 2}",
           "{'a': 1, 'b': 2}.transformMap(k, v, v > 1, v) == {'b': 2}",
           "['x'].transformMapEntry(i, v, {v: i}) == {'x': 0}"});
  Answers({{"['x', 'x'].transformMapEntry(i, v, {v: i}) == {}",
            "error: insert failed: key x already exists"}});
}

TEST_CASE("bind is lazy and computed once") {
  AllTrue({"cel.bind(x, 1 / 0, true)", "cel.bind(x, 5, x + x == 10)",
           "cel.bind(x, [1, 2].map(y, y + 1), [3].exists(z, z in x))",
           "cel.bind(x, 1, cel.bind(y, x + 1, cel.bind(x, y + 1, x == 3)))"});
  Answers({{"cel.bind(x, 1 / 0, x == 1)", "error: division by zero"},
           {"cel.bind(x, 1 / 0, x == 1 || true)", "true"}});
}

TEST_CASE("optional values") {
  AllTrue({"optional.of(1).value() == 1", "!optional.none().hasValue()",
           "optional.ofNonZeroValue('') == optional.none()", "{'a': {'b': 1}}.?a.b.orValue(2) == 1",
           "{}.?a.orValue(2) == 2", "[1][?5].orValue(7) == 7", "{?'a': optional.none()} == {}",
           "[?optional.of(1), 2] == [1, 2]", "optional.of(1).optMap(x, x + 1) == optional.of(2)",
           "optional.of(1).optFlatMap(x, optional.none()) == optional.none()",
           "optional.none().or(optional.of(1)).value() == 1", "[1, 2].first().value() == 1",
           "![].last().hasValue()", "[optional.of(1), optional.none()].unwrapOpt() == [1]",
           "has({'a': {'b': 1}}.?a.b)"});
  Answers({{"optional.none().value() == 1", "error: optional.none() dereference"}});
}

TEST_CASE("regular expressions") {
  AllTrue({"'abc123'.matches('[0-9]+$')", "matches('abc', '^a')", "'a1b22'.find('[0-9]+') == '1'",
           "'a1b22'.findAll('[0-9]+') == ['1', '22']", "'a1b22'.findAll('[0-9]+', 1) == ['1']",
           "'abc'.find('x') == ''", "'foo bar'.findAll('o*').size() == 6", "'a'.matches('(?<n>a)')",
           "'a'.matches('(?i)A')"});
  Answers({{"'a'.matches('(')", "compile: invalid matches argument"},
           {"'a'.matches('\\\\C')", "compile: invalid matches argument"},
           {"'a'.matches('a{1001}')", "compile: invalid matches argument"},
           {"'a'.matches(device.driver + '(')",
            "error: error parsing regexp: missing ): gpu.example.com("}});
}

TEST_CASE("URLs") {
  AllTrue({"url('https://u:p@Example.com:80/a%20b?q=1&q=2&r=x+y#f').getHost() == 'Example.com:80'",
           "url('https://example.com:80/').getHostname() == 'example.com'",
           "url('https://example.com:80/').getPort() == '80'",
           "url('https://[::1]:80/').getHostname() == '::1'",
           "url('HTTPS://a/').getScheme() == 'https'", "url('/a b').getEscapedPath() == '/a%20b'",
           "url('https://a/?q=1&q=2&r=x+y').getQuery() == {'q': ['1', '2'], 'r': ['x y']}",
           "isURL('/path')", "!isURL('a.b')", "!isURL('')", "!isURL('https://a:x/')",
           "!isURL('http://[1.2.3.4]/')", "!isURL('http://[IPv4-mapped]/')",
           "isURL('http://[::ffff:1.2.3.4]/')", "url('https://a/b') == url('https://a/b')"});
}

TEST_CASE("addresses and blocks") {
  AllTrue({"ip('192.168.0.1').family() == 4",
           "ip('2001:db8::1').family() == 6",
           "string(ip('2001:DB8:0:0:0:0:0:1')) == '2001:db8::1'",
           "ip.isCanonical('2001:db8::1')",
           "!ip.isCanonical('2001:DB8::1')",
           "!isIP('1.2.3')",
           "!isIP('01.2.3.4')",
           "!isIP('::ffff:1.2.3.4')",
           "!isIP('fe80::1%eth0')",
           "ip('127.0.0.1').isLoopback()",
           "ip('::').isUnspecified()",
           "ip('169.254.1.1').isLinkLocalUnicast()",
           "ip('224.0.0.1').isLinkLocalMulticast()",
           "ip('8.8.8.8').isGlobalUnicast()",
           "!ip('255.255.255.255').isGlobalUnicast()",
           "cidr('10.0.0.0/8').containsIP('10.1.2.3')",
           "!cidr('10.0.0.0/8').containsIP(ip('11.0.0.1'))",
           "cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16')",
           "!cidr('10.1.0.0/16').containsCIDR(cidr('10.0.0.0/8'))",
           "cidr('10.1.2.3/8').masked() == cidr('10.0.0.0/8')",
           "cidr('10.1.2.3/8').ip() == ip('10.1.2.3')",
           "cidr('::/0').prefixLength() == 0",
           "string(cidr('10.0.0.0/8')) == '10.0.0.0/8'",
           "!isCIDR('10.0.0.0/33')",
           "!isCIDR('10.0.0.0')",
           "isIP('1::2:3.4.5.6')"});
}

TEST_CASE("quantities and versions") {
  AllTrue({"quantity('1Gi').compareTo(quantity('1024Mi')) == 0",
           "quantity('1').isLessThan(quantity('1001m'))", "sign(quantity('-1')) == -1",
           "quantity('5').asInteger() == 5", "quantity('1.5').asApproximateFloat() == 1.5",
           "!quantity('1000m').isInteger()", "quantity('50k').add(20) == quantity('50020')",
           "quantity('50k').sub(quantity('20k')) == quantity('30k')", "!isQuantity('80g')",
           "isSemver('1.2.3-rc.1+b')", "!isSemver('v1.2.3')", "semver('1.2.3').major() == 1",
           "semver('1.2.3').minor() == 2", "semver('1.2.3').patch() == 3",
           "semver('1.10.0').isGreaterThan(semver('1.9.0'))",
           "semver('v01.2', true) == semver('1.2.0')"});
  Answers({{"quantity('1.5Gi').asInteger() == 1", "error: cannot convert value to integer"},
           {"quantity('1e30').add(quantity('1n')).isInteger()",
            "error: quantity of more than 38 digits"}});
}

TEST_CASE("named formats") {
  AllTrue({"!format.dns1123Label().validate('my-name').hasValue()",
           "format.dns1123Label().validate('My.name').hasValue()",
           "format.dns1123Label().validate('a.b').value() == ['must not contain dots']",
           "!format.dns1123Subdomain().validate('a.b-c').hasValue()",
           "format.dns1035Label().validate('1a').hasValue()",
           "!format.qualifiedName().validate('a.b/C_d').hasValue()",
           "format.qualifiedName().validate('/x').hasValue()",
           "!format.labelValue().validate('').hasValue()",
           "!format.dns1123LabelPrefix().validate('my-').hasValue()",
           "!format.uuid().validate('123e4567-e89b-12d3-a456-426614174000').hasValue()",
           "!format.byte().validate('aGVsbG8=').hasValue()",
           "format.byte().validate('a').hasValue()",
           "!format.date().validate('2021-02-28').hasValue()",
           "format.date().validate('2021-02-29').hasValue()",
           "!format.datetime().validate('2021-01-01T00:00:00Z').hasValue()",
           "!format.uri().validate('https://a').hasValue()", "format.named('uuid').hasValue()",
           "!format.named('x').hasValue()"});
}

TEST_CASE("time") {
  AllTrue(
      {"timestamp('2009-02-13T23:31:30Z').getFullYear() == 2009",
       "timestamp('2009-02-13T23:31:30Z').getMonth() == 1",
       "timestamp('2009-02-13T23:31:30Z').getDate() == 13",
       "timestamp('2009-02-13T23:31:30Z').getDayOfMonth() == 12",
       "timestamp('2009-02-13T23:31:30Z').getDayOfWeek() == 5",
       "timestamp('2009-02-13T23:31:30Z').getDayOfYear() == 43",
       "timestamp('2009-02-13T23:31:30Z').getHours('02:00') == 1",
       "timestamp('2009-02-13T23:31:30Z').getHours('-03:30') == 20",
       "timestamp('2009-02-13T23:31:30.5Z').getMilliseconds() == 500",
       "timestamp('2020-02-28T00:00:00Z') + duration('48h') == timestamp('2020-03-01T00:00:00Z')",
       "timestamp('2020-01-01T00:00:00Z') - timestamp('2019-12-31T00:00:00Z') == duration('24h')",
       "duration('1h2m3.5s').getSeconds() == 3723", "duration('-1.5h') == duration('-90m')",
       "duration('1us') == duration('1000ns')",
       "timestamp('2020-01-01T01:00:00+01:00') == timestamp('2020-01-01T00:00:00Z')"});
  Answers({{"timestamp('9999-12-31T23:59:59Z') + duration('1s') == timestamp(0)",
            "error: timestamp overflow"},
           {"timestamp('0001-01-01T00:00:00Z') - duration('1s') == timestamp(0)",
            "error: timestamp overflow"},
           {"timestamp(0).getHours('No/Where') == 0", "error: unknown time zone No/Where"},
           {"timestamp(0).getHours('../../etc/passwd') == 0",
            "error: unknown time zone ../../etc/passwd"}});
}

}  // namespace
}  // namespace fedra::cel::libraries_test
