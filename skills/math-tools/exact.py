"""Exact number work: no floating point anywhere, and a stated limit for everything that could run away."""
from __future__ import annotations

import math
import re
from fractions import Fraction

MAX_FIBONACCI = 1_000_000
MAX_FACTORIAL = 20_000
MAX_NTH_PRIME = 1_000_000
MAX_PRIME = 3_300_000_000_000_000_000_000_000   # below the bound up to which thirteen Miller-Rabin bases are proven
MAX_FACTOR = 10**24
MAX_DIGITS = 1_000
MAX_DEGREE = 100
MAX_PLACES = 200
_BASES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41)
_RATIONAL = re.compile(r"([+-]?)(\d+)(?:\.(\d+))?(?:/(\d+))?\Z", re.ASCII)
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


class MathError(Exception):
    """Something that cannot be computed. `code` is stable: invalid_argument, limit or domain; `key` names the sentence."""

    def __init__(self, code: str, key: str, **values: object) -> None:
        super().__init__(key)
        self.code = code
        self.key = key
        self.values = values


def whole(text: str, name: str, low: int | None, high: int | None) -> int:
    """A whole number between two limits, from its decimal text."""
    text = text.strip()
    if not re.fullmatch(r"[+-]?[0-9]+", text):
        raise MathError("invalid_argument", "not_whole", name=name, text=text[:60])
    if len(text) > MAX_DIGITS:
        raise MathError("limit", "too_long", name=name, limit=MAX_DIGITS)
    value = int(text)
    if low is not None and value < low or high is not None and value > high:
        raise MathError("limit", "out_of_range", name=name, low=low, high=high)
    return value


def rational(text: str, name: str) -> Fraction:
    """A whole number, decimal or fraction from its text."""
    match = _RATIONAL.match(text.strip())
    if not match:
        raise MathError("invalid_argument", "not_number", name=name, text=text[:60])
    if len(text) > MAX_DIGITS:
        raise MathError("limit", "too_long", name=name, limit=MAX_DIGITS)
    sign, integer, places, divisor = match.groups()
    if divisor is not None and int(divisor) == 0:
        raise MathError("domain", "division_by_zero")
    value = Fraction(int(integer + (places or "")), 10 ** len(places or "") * int(divisor or 1))
    return -value if sign == "-" else value


def fibonacci(n: int) -> int:
    """F(n) with F(0) = 0 and F(1) = 1, by doubling."""
    a, b = 0, 1
    for bit in bin(n)[2:]:
        a, b = a * (2 * b - a), a * a + b * b
        if bit == "1":
            a, b = b, a + b
    return a


def is_prime(n: int) -> bool:
    """Proven for every n up to MAX_PRIME."""
    if n < 2:
        return False
    for prime in _BASES:
        if n % prime == 0:
            return n == prime
    odd, twos = n - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    return all(_passes(n, base, odd, twos) for base in _BASES)


def _passes(n: int, base: int, odd: int, twos: int) -> bool:
    power = pow(base, odd, n)
    if power in (1, n - 1):
        return True
    for _ in range(twos - 1):
        power = power * power % n
        if power == n - 1:
            return True
    return False


def next_prime(n: int) -> int:
    """The smallest prime above n."""
    candidate = max(n + 1, 2)
    while not is_prime(candidate):
        candidate += 1 if candidate == 2 or candidate % 2 == 0 else 2
    return candidate


def nth_prime(n: int) -> int:
    """The n-th prime, the first being 2."""
    if n < 6:
        return (2, 3, 5, 7, 11)[n - 1]
    size = int(n * (math.log(n) + math.log(math.log(n)))) + 10
    sieve = bytearray([1]) * (size // 2 + 1)
    for odd in range(3, math.isqrt(size) + 1, 2):
        if sieve[odd // 2]:
            sieve[odd * odd // 2::odd] = bytes(len(range(odd * odd // 2, len(sieve), odd)))
    position, left = 0, n - 1
    while left:
        position = sieve.index(1, position + 1)
        left -= 1
    return 2 * position + 1


def factorize(n: int) -> list[tuple[int, int]]:
    """The prime factors of n >= 2 with their exponents, smallest first."""
    found: dict[int, int] = {}
    for prime in range(2, 2_000):
        while n % prime == 0:
            found[prime] = found.get(prime, 0) + 1
            n //= prime
    waiting = [n] if n > 1 else []
    while waiting:
        part = waiting.pop()
        if is_prime(part):
            found[part] = found.get(part, 0) + 1
            continue
        divisor = _divisor(part)
        waiting += [divisor, part // divisor]
    return sorted(found.items())


def _divisor(n: int) -> int:
    """A proper divisor of a composite n, by Pollard's rho in Brent's form."""
    root = math.isqrt(n)
    if root * root == n:
        return root
    for constant in range(1, n):
        y, divisor, power = 2, 1, 1
        while divisor == 1:
            x, start = y, y
            for _ in range(power):
                y = (y * y + constant) % n
            done = 0
            while done < power and divisor == 1:
                start, product = y, 1
                for _ in range(min(128, power - done)):
                    y = (y * y + constant) % n
                    product = product * abs(x - y) % n
                divisor, done = math.gcd(product, n), done + 128
            power *= 2
        if divisor == n:
            divisor = _slow_divisor(n, x, start, constant)
        if divisor != n:
            return divisor
    raise MathError("domain", "no_divisor", n=n)


def _slow_divisor(n: int, x: int, y: int, constant: int) -> int:
    """Repeats the last stretch of rho one step at a time, where the product lost the divisor."""
    divisor = 1
    while divisor == 1:
        y = (y * y + constant) % n
        divisor = math.gcd(abs(x - y), n)
    return divisor


def integer_root(n: int, degree: int) -> int:
    """The largest r with r ** degree <= n, for n >= 0."""
    if n < 2 or degree == 1:
        return n
    if degree == 2:
        return math.isqrt(n)
    guess = 1 << -(-n.bit_length() // degree)
    while True:
        better = ((degree - 1) * guess + n // guess ** (degree - 1)) // degree
        if better >= guess:
            return guess
        guess = better


def exact_root(value: Fraction, degree: int) -> Fraction | None:
    """The root when it is rational, None when it is not. `value` >= 0."""
    top, bottom = integer_root(value.numerator, degree), integer_root(value.denominator, degree)
    return Fraction(top, bottom) if top**degree == value.numerator and bottom**degree == value.denominator else None


def rounded_root(value: Fraction, degree: int, places: int) -> str:
    """The root of `value` > 0 as a decimal, rounded to `places` digits after the point."""
    scale = 10 ** (degree * (places + 1))
    digits = (integer_root(value.numerator * scale // value.denominator, degree) + 5) // 10
    whole_part, rest = divmod(digits, 10**places)
    return f"{whole_part}.{rest:0{places}d}"


def decimal_text(value: Fraction, places: int) -> tuple[str, bool]:
    """The value as a decimal with at most `places` digits after the point, and whether that is exact."""
    sign, size = ("-" if value < 0 else ""), abs(value)
    scaled = size * 10**places
    exact = scaled.denominator == 1
    whole_part, rest = divmod((2 * scaled.numerator + scaled.denominator) // (2 * scaled.denominator), 10**places)
    tail = f"{rest:0{places}d}"
    tail = tail.rstrip("0") if exact else tail
    return f"{sign}{whole_part}{'.' + tail if tail else ''}", exact


def from_base(text: str, base: int) -> int:
    """The number that digits (0-9, a-z in any case) of a base from 2 to 36 stand for; a prefix such as 0x is accepted where it fits."""
    sign, digits = (-1, text[1:]) if text.startswith("-") else (1, text)
    digits = digits.strip().lower().replace("_", "")
    prefix = {2: "0b", 8: "0o", 16: "0x"}.get(base)
    if prefix and digits.startswith(prefix):
        digits = digits[2:]
    if len(digits) > MAX_DIGITS:
        raise MathError("limit", "too_long", name="number", limit=MAX_DIGITS)
    if not digits or any(digit not in _DIGITS[:base] for digit in digits):
        raise MathError("invalid_argument", "not_in_base", text=text[:60], base=base)
    return sign * int(digits, base)


def to_base(value: int, base: int) -> str:
    """Digits of a number in a base from 2 to 36."""
    digits, rest = "", abs(value)
    while rest:
        rest, digit = divmod(rest, base)
        digits = _DIGITS[digit] + digits
    return ("-" if value < 0 else "") + (digits or "0")
