"""A device and a selector made at random, as a case of the cel-lines protocol.

Most selectors have the types that their functions want; some are broken on purpose: another type in the place of an
argument, a function that is not there, a literal that is out of range. Functions that only some releases have are
among them.
"""

from __future__ import annotations

import re

from real.agreement.dice import Dice, Json

_DRIVER = "gpu.example.com"
_OTHER = "other.example.com"
# Name -> type and value, as a ResourceSlice has it.
_ATTRIBUTES: dict[str, tuple[str, Json]] = {
    "count": ("int", {"int": 4}),
    "zero": ("int", {"int": 0}),
    "healthy": ("bool", {"bool": True}),
    "model": ("string", {"string": "A100-80GB"}),
    "empty": ("string", {"string": ""}),
    "uuid": ("string", {"string": "GPU-1f2e"}),
    "addr": ("string", {"string": "10.1.2.3"}),
    "driverVersion": ("semver", {"version": "535.104.5"}),
    f"{_OTHER}/rank": ("int", {"int": -2}),
    f"{_OTHER}/label": ("string", {"string": "blue"}),
}
_CAPACITY = {"memory": "80Gi", "cores": "14", f"{_OTHER}/slices": "7"}

# type -> expressions of it, in which "int", "string", ... in braces are to be replaced.
_LEAVES: dict[str, tuple[str, ...]] = {
    "int": ("0", "1", "-3", "7", "9223372036854775807", "42", "0x1F", "int('12')", "int('x')"),
    "uint": ("0u", "1u", "7u", "18446744073709551615u", "uint(3)"),
    "double": ("0.5", "-1.0", "1e3", "double('2.5')", "double('x')", "0.0 / 0.0"),
    "bool": ("true", "false", "bool('true')", "bool('x')"),
    "string": (
        "''",
        "'a'",
        "'A100-80GB'",
        "'ab,c,d'",
        "'Grüße'",
        r"'\u00e9'",
        "r'\\d'",
        "'10.1.2.3'",
        "'80Gi'",
    ),
    "bytes": ("b''", "b'abc'", "bytes('ü')", r"b'\xff'"),
    "list": ("[]", "[1, 2, 3]", "[1]", "['a', 'b']", "lists.range(4)", "[[1], [2]]"),
    "ints": ("[3, 1, 2]", "[1]", "[1, 1, 2]", "lists.range(5)"),
    "strings": ("['b', 'a']", "['x']", "'ab,c,d'.split(',')", "'abc'.split('')"),
    "map": ("{'a': 1, 'b': 2}", "{}", "{1: 'x'}"),
    "quantity": (
        "quantity('1Gi')",
        "quantity('500m')",
        "quantity('80Gi')",
        "quantity('x')",
        "quantity('-3')",
    ),
    "semver": (
        "semver('1.2.3')",
        "semver('535.104.5')",
        "semver('1')",
        "semver('v1.2', true)",
        "semver('01.2.3', true)",
    ),
    "duration": ("duration('1h30m')", "duration('5s')", "duration('x')"),
    "timestamp": ("timestamp('2026-01-02T03:04:05Z')", "timestamp(0)"),
    "ip": ("ip('10.1.2.3')", "ip('::1')", "ip('10.1')"),
    "cidr": ("cidr('10.0.0.0/8')", "cidr('::/0')", "cidr('10.0.0.1')"),
    "url": ("url('https://a.b:8080/p?q=1')", "url('x y')"),
    "optional": ("optional.of(1)", "optional.none()", "{'a': 1}[?'a']", "[1][?3]"),
    "dyn": ("dyn(1)", "dyn('a')", "dyn([1])", "dyn(null)"),
    "null": ("null",),
    "message": (
        "google.protobuf.Int64Value{value: 3}",
        "google.protobuf.StringValue{value: 'a'}",
        "google.protobuf.BoolValue{}",
        "google.protobuf.Duration{seconds: 3}",
        "google.protobuf.Value{number_value: 2.0}",
        "google.protobuf.Any{}",
    ),
}
_CALLS: dict[str, tuple[str, ...]] = {
    "bool": (
        "!{bool}", "{bool} && {bool}", "{bool} || {bool}", "{bool} ? {bool} : {bool}",
        "{int} == {int}", "{int} < {int}", "{int} >= {int}", "{int} < {double}", "{uint} == {int}", "{int} != {uint}",
        "{string} == {string}", "{string} < {string}", "{bytes} == {bytes}", "{double} > {double}",
        "{string}.startsWith({string})", "{string}.endsWith({string})", "{string}.contains({string})",
        "{string}.matches({string})", "{string}.matches('^A[0-9]+')",
        "{int} in {ints}", "{string} in {strings}", "{string} in {map}", "{dyn} in {list}",
        "{ints}.all(x, x > {int})", "{ints}.exists(x, x == {int})", "{ints}.exists_one(x, x < {int})",
        "{ints}.all(i, v, i < v)", "{ints}.exists(i, v, i == v)", "{map}.all(k, k != '')", "{map}.exists(k, v, v == 1)",
        "{ints}.isSorted()", "{strings}.isSorted()", "{list} == {list}", "{map} == {map}",
        "{quantity}.isGreaterThan({quantity})", "{quantity}.isLessThan({quantity})", "{quantity} == {quantity}",
        "{quantity}.compareTo({quantity}) >= {int}", "isQuantity({string})", "{quantity}.isInteger()",
        "{semver}.isLessThan({semver})", "{semver}.isGreaterThan({semver})", "{semver} == {semver}", "isSemver({string})",
        "isSemver({string}, {bool})", "{semver}.compareTo({semver}) == 0",
        "{duration} < {duration}", "{timestamp} == {timestamp}", "{timestamp} + {duration} > {timestamp}",
        "isIP({string})", "{ip} == {ip}", "{cidr}.containsIP({ip})", "{cidr}.containsIP({string})",
        "{cidr}.containsCIDR({cidr})", "isCIDR({string})", "ip.isCanonical({string})", "{ip}.isLoopback()",
        "isURL({string})", "{url}.getScheme() == {string}", "{optional}.hasValue()", "{optional} == {optional}",
        "sets.contains({ints}, {ints})", "sets.intersects({ints}, {ints})", "sets.equivalent({ints}, {ints})",
        "format.dns1123Label().validate({string}).hasValue()", "{dyn} == {dyn}", "{dyn} == {int}", "type({dyn}) == int",
        "type({int}) == type({string})", "has({map}.a)", "cel.bind(v, {int}, v > 1 && v < {int})", "{message} == {dyn}",
        "{message} == {int}", "math.isNaN({double})", "device.allowMultipleAllocations", "{null} == {dyn}",
        "'%s %d' .format([{string}, {int}]) == {string}", "{string}.includes({string})", "dyn({bool})",
        "authorizer.group('').resource('pods').check('get').allowed()", "{bytes}.size() == {int}",
    ),
    "int": (
        "{int} + {int}", "{int} - {int}", "{int} * {int}", "{int} / {int}", "{int} % {int}", "-{int}",
        "size({string})", "{string}.size()", "size({list})", "size({map})", "{strings}.size()", "{ints}[{int}]",
        "{string}.indexOf({string})", "{string}.lastIndexOf({string})", "{ints}.sum()", "{ints}.max()", "{ints}.min()",
        "{ints}.indexOf({int})", "{semver}.major()", "{semver}.patch()", "{quantity}.sign()", "{quantity}.asInteger()",
        "int({double})", "int({uint})", "int({string})", "int({timestamp})", "{timestamp}.getFullYear()",
        "{timestamp}.getHours('Europe/Berlin')", "{duration}.getSeconds()", "{ip}.family()", "{cidr}.prefixLength()",
        "{bool} ? {int} : {int}", "{optional}.orValue({int})", "{optional}.value()", "{ints}.map(x, x * 2)[0]",
        "{ints}.filter(x, x > 1).size()", "math.greatest({int}, {int})", "{ints}.sort()[0]", "{ints}.first().orValue(0)",
        "cel.bind(v, {int}, v + v)", "{list}.flatten().size()", "{list}.distinct().size()", "{ints}.reverse()[0]",
    ),
    "string": (
        "{string} + {string}", "{string}.lowerAscii()", "{string}.upperAscii()", "{string}.trim()", "string({int})",
        "string({double})", "string({bool})", "string({bytes})", "string({timestamp})", "string({duration})", "string({ip})",
        "string({cidr})", "{string}.replace({string}, {string})", "{string}.replace({string}, {string}, {int})",
        "{string}.substring({int})", "{string}.substring({int}, {int})", "{string}.charAt({int})", "{strings}.join(',')",
        "{string}.find('[0-9]+')", "{strings}[{int}]", "{bool} ? {string} : {string}", "{url}.getHostname()",
        "{string}.reverse()", "strings.quote({string})", "device.driver", "{string}.split(',')[0]",
        "'%s'.format([{dyn}])", "'%.2f'.format([{double}])", "'%x'.format([{int}])",
    ),
    "uint": ("{uint} + {uint}", "{uint} * {uint}", "uint({int})", "uint({double})", "uint({string})"),
    "double": ("{double} + {double}", "{double} / {double}", "double({int})", "{quantity}.asApproximateFloat()"),
    "ints": ("{ints} + {ints}", "{ints}.map(x, x + {int})", "{ints}.filter(x, x != {int})", "{ints}.slice(0, {int})"),
    "strings": ("{strings} + {strings}", "{string}.split({string})", "{string}.findAll('[a-z]')"),
    "quantity": ("{quantity}.add({quantity})", "{quantity}.sub({quantity})", "{quantity}.add({int})"),
    "semver": (), "list": ("{list} + {list}", "[{int}, {int}]", "[{dyn}, {string}]"), "map": ("{'a': {int}}",),
    "duration": ("{duration} + {duration}",), "timestamp": ("{timestamp} - {duration}",), "bytes": ("{bytes} + {bytes}",),
    "dyn": ("dyn({int})", "dyn({string})", "{map}.a", "[{dyn}][0]"), "ip": ("{cidr}.ip()",), "cidr": ("{cidr}.masked()",),
    "optional": ("optional.of({int})", "{ints}[?{int}]", "optional.ofNonZeroValue({int})", "{optional}.or({optional})"),
    "url": (), "null": (), "message": (),
}  # fmt: skip
_DEEPEST = 4
_PLACE = re.compile(rf"\{{({'|'.join(_LEAVES)})\}}")


def selector_case(seed: int, number: int, release: str) -> Json:
    dice = Dice(f"selector/{seed}/{number}")
    names = [name for name in _ATTRIBUTES if dice.chance(0.8)]
    return {
        "name": f"case-{number}",
        "k8s": release,
        # Attributes are dyn there, whatever the gate DRAListTypeAttributes says (cel/compile.go:294 of v0.37.2).
        "listAttributes": release == "1.37",
        "expr": _Writer(dice).write("bool", dice.below(_DEEPEST + 1)),
        "driver": _DRIVER,
        "allowMultipleAllocations": dice.chance(0.5),
        "attributes": {name: _ATTRIBUTES[name][1] for name in names},
        "capacity": {name: value for name, value in _CAPACITY.items() if dice.chance(0.8)},
    }


class _Writer:
    def __init__(self, dice: Dice):
        self._dice = dice

    def write(self, kind: str, depth: int) -> str:
        if self._dice.odd(0.04):
            kind = self._dice.pick(*_LEAVES)
        if depth == 0 or not _CALLS[kind]:
            return self._leaf(kind)
        pattern = self._dice.pick(*_CALLS[kind])
        if self._dice.odd(0.02):
            pattern = self._misspelt(pattern)
        return _PLACE.sub(lambda place: self._argument(place[1], depth - 1), pattern)

    def _argument(self, kind: str, depth: int) -> str:
        text = self.write(kind, self._dice.pick(0, depth, depth))
        return text if text.isidentifier() or text.isdigit() else f"({text})"

    def _leaf(self, kind: str) -> str:
        if self._dice.chance(0.5):
            if (read := self._of_device(kind)) is not None:
                return read
        text: str = self._dice.pick(*_LEAVES[kind])
        return text

    def _of_device(self, kind: str) -> str | None:
        if kind == "quantity":
            domain, name = _place(self._dice.pick(*_CAPACITY))
            return f"device.capacity['{domain}'].{name}"
        named = [name for name, (of, _) in _ATTRIBUTES.items() if of == kind or kind == "dyn"]
        if not named:
            return None
        domain, name = _place(self._dice.pick(*named))
        return self._dice.pick(
            f"device.attributes['{domain}'].{name}",
            f"device.attributes['{domain}']['{name}']",
            f"device.attributes[?'{domain}'].?{name}.orValue(dyn(1))",
        )

    def _misspelt(self, pattern: str) -> str:
        return self._dice.pick(
            pattern.replace("(", "X(", 1),
            pattern.replace(".", "", 1),
            pattern + ")",
            pattern.replace("(", "({int}, ", 1),
        )


def _place(name: str) -> tuple[str, str]:
    domain, slash, bare = name.partition("/")
    return (domain, bare) if slash else (_DRIVER, name)
