#include <algorithm>

#include "cel/lib/network.h"
#include "cel/library.h"

namespace fedra::cel {
namespace {

Value NewIp(Evaluation& evaluation, const IpAddress& address) {
  const auto* copy = evaluation.arena().New<IpAddress>(address);
  return copy == nullptr ? evaluation.OutOfMemory() : Value::Ip(copy);
}

Value NewCidr(Evaluation& evaluation, const CidrBlock& block) {
  const auto* copy = evaluation.arena().New<CidrBlock>(block);
  return copy == nullptr ? evaluation.OutOfMemory() : Value::Cidr(copy);
}

Value TextToIp(Evaluation& evaluation, const Value* args) {
  const auto address = ParseIp(args[0].AsText());
  return address ? NewIp(evaluation, *address) : evaluation.Error(address.error().message);
}

Value IsIp(Evaluation&, const Value* args) {
  return Value::Bool(ParseIp(args[0].AsText()).has_value());
}

Value IsCanonical(Evaluation& evaluation, const Value* args) {
  const auto address = ParseIp(args[0].AsText());
  if (!address) return evaluation.Error(address.error().message);
  return Value::Bool(ToString(*address) == args[0].AsText());
}

Value IpToText(Evaluation& evaluation, const Value* args) {
  return evaluation.String(ToString(args[0].AsIp()));
}

Value Family(Evaluation&, const Value* args) { return Value::Int(args[0].AsIp().is_v4 ? 4 : 6); }

bool IsUnspecified(const IpAddress& ip) {
  return std::all_of(ip.bytes.begin(), ip.bytes.end(), [](uint8_t byte) { return byte == 0; });
}

bool IsLoopback(const IpAddress& ip) {
  if (ip.is_v4) return ip.bytes[0] == 127;
  return ip.bytes[15] == 1 &&
         std::all_of(ip.bytes.begin(), ip.bytes.end() - 1, [](uint8_t b) { return b == 0; });
}

bool IsMulticast(const IpAddress& ip) {
  return ip.is_v4 ? (ip.bytes[0] & 0xF0) == 0xE0 : ip.bytes[0] == 0xFF;
}

bool IsLinkLocalMulticast(const IpAddress& ip) {
  if (ip.is_v4) return ip.bytes[0] == 224 && ip.bytes[1] == 0 && ip.bytes[2] == 0;
  return ip.bytes[0] == 0xFF && (ip.bytes[1] & 0x0F) == 0x02;
}

bool IsLinkLocalUnicast(const IpAddress& ip) {
  if (ip.is_v4) return ip.bytes[0] == 169 && ip.bytes[1] == 254;
  return ip.bytes[0] == 0xFE && (ip.bytes[1] & 0xC0) == 0x80;
}

bool IsGlobalUnicast(const IpAddress& ip) {
  const bool broadcast = ip.is_v4 && std::all_of(ip.bytes.begin(), ip.bytes.begin() + 4,
                                                 [](uint8_t b) { return b == 255; });
  return !broadcast && !IsUnspecified(ip) && !IsLoopback(ip) && !IsMulticast(ip) &&
         !IsLinkLocalUnicast(ip);
}

template <bool (*Predicate)(const IpAddress&)>
Value Test(Evaluation&, const Value* args) {
  return Value::Bool(Predicate(args[0].AsIp()));
}

constexpr Overload kIp[] = {
    Global("ip", "string_to_ip", {&kStringType}, kIpType, TextToIp, Price::kTraverse),
    Global("isIP", "is_ip", {&kStringType}, kBoolType, IsIp, Price::kTraverse),
    Global("ip.isCanonical", "ip_is_canonical", {&kStringType}, kBoolType, IsCanonical,
           Price::kTraverseTwice),
    Member("family", "ip_family", {&kIpType}, kIntType, Family),
    Member("isUnspecified", "ip_is_unspecified", {&kIpType}, kBoolType, Test<IsUnspecified>),
    Member("isLoopback", "ip_is_loopback", {&kIpType}, kBoolType, Test<IsLoopback>),
    Member("isLinkLocalMulticast", "ip_is_link_local_multicast", {&kIpType}, kBoolType,
           Test<IsLinkLocalMulticast>),
    Member("isLinkLocalUnicast", "ip_is_link_local_unicast", {&kIpType}, kBoolType,
           Test<IsLinkLocalUnicast>),
    Member("isGlobalUnicast", "ip_is_global_unicast", {&kIpType}, kBoolType, Test<IsGlobalUnicast>),
    Global("string", "ip_to_string", {&kIpType}, kStringType, IpToText),
};

// The address with everything behind the prefix cleared.
IpAddress Masked(const IpAddress& address, int prefix_length) {
  IpAddress masked = address;
  for (size_t i = 0; i < masked.bytes.size(); ++i) {
    const int bits = std::clamp(prefix_length - static_cast<int>(i) * 8, 0, 8);
    masked.bytes[i] = static_cast<uint8_t>(masked.bytes[i] & (0xFF00 >> bits));
  }
  return masked;
}

bool Contains(const CidrBlock& block, const IpAddress& address) {
  return block.address.is_v4 == address.is_v4 &&
         Masked(block.address, block.prefix_length) == Masked(address, block.prefix_length);
}

Value TextToCidr(Evaluation& evaluation, const Value* args) {
  const auto block = ParseCidr(args[0].AsText());
  return block ? NewCidr(evaluation, *block) : evaluation.Error(block.error().message);
}

Value IsCidr(Evaluation&, const Value* args) {
  return Value::Bool(ParseCidr(args[0].AsText()).has_value());
}

Value CidrToText(Evaluation& evaluation, const Value* args) {
  return evaluation.String(ToString(args[0].AsCidr()));
}

Value ContainsIp(Evaluation&, const Value* args) {
  return Value::Bool(Contains(args[0].AsCidr(), args[1].AsIp()));
}

Value ContainsIpText(Evaluation& evaluation, const Value* args) {
  const auto address = ParseIp(args[1].AsText());
  if (!address) return evaluation.Error(address.error().message);
  return Value::Bool(Contains(args[0].AsCidr(), *address));
}

bool ContainsBlock(const CidrBlock& outer, const CidrBlock& inner) {
  return outer.prefix_length <= inner.prefix_length && Contains(outer, inner.address);
}

Value ContainsCidr(Evaluation&, const Value* args) {
  return Value::Bool(ContainsBlock(args[0].AsCidr(), args[1].AsCidr()));
}

Value ContainsCidrText(Evaluation& evaluation, const Value* args) {
  const auto block = ParseCidr(args[1].AsText());
  if (!block) return evaluation.Error(block.error().message);
  return Value::Bool(ContainsBlock(args[0].AsCidr(), *block));
}

Value CidrAddress(Evaluation& evaluation, const Value* args) {
  return NewIp(evaluation, args[0].AsCidr().address);
}
Value PrefixLength(Evaluation&, const Value* args) {
  return Value::Int(args[0].AsCidr().prefix_length);
}
Value MaskedCidr(Evaluation& evaluation, const Value* args) {
  const CidrBlock& block = args[0].AsCidr();
  return NewCidr(evaluation, {Masked(block.address, block.prefix_length), block.prefix_length});
}

constexpr Overload kCidr[] = {
    Global("cidr", "string_to_cidr", {&kStringType}, kCidrType, TextToCidr, Price::kTraverse),
    Global("isCIDR", "is_cidr", {&kStringType}, kBoolType, IsCidr, Price::kTraverse),
    Member("containsIP", "cidr_contains_ip_string", {&kCidrType, &kStringType}, kBoolType,
           ContainsIpText, Price::kCidrContainsIpText),
    Member("containsIP", "cidr_contains_ip_ip", {&kCidrType, &kIpType}, kBoolType, ContainsIp,
           Price::kCidrContainsIp),
    Member("containsCIDR", "cidr_contains_cidr_string", {&kCidrType, &kStringType}, kBoolType,
           ContainsCidrText, Price::kCidrContainsCidrText),
    Member("containsCIDR", "cidr_contains_cidr", {&kCidrType, &kCidrType}, kBoolType, ContainsCidr,
           Price::kCidrContainsCidr),
    Member("ip", "cidr_ip", {&kCidrType}, kIpType, CidrAddress),
    Member("prefixLength", "cidr_prefix_length", {&kCidrType}, kIntType, PrefixLength),
    Member("masked", "cidr_masked", {&kCidrType}, kCidrType, MaskedCidr),
    Global("string", "cidr_to_string", {&kCidrType}, kStringType, CidrToText),
};

}  // namespace

std::span<const Overload> IpLibrary() { return kIp; }
std::span<const Overload> CidrLibrary() { return kCidr; }

}  // namespace fedra::cel
