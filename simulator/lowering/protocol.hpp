// NCCL's protocols: how a kernel moves a step's data between two accelerators.
//
//     LL       8-byte words of which 4 are flags: lowest latency, at most half the link
//     LL128    128-byte lines of which 8 bytes are flags, where stores of that size stay whole
//     Simple   chunks and a fence: full rate, highest latency
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trainsim {

enum class Protocol : std::uint8_t { ll, ll128, simple };
constexpr std::size_t kProtocols = 3;
constexpr std::array<Protocol, kProtocols> kAllProtocols = {Protocol::ll, Protocol::ll128, Protocol::simple};
constexpr std::array<std::string_view, kProtocols> kProtocolNames = {"LL", "LL128", "Simple"};

// A figure for each protocol.
struct ByProtocol {
  std::array<double, kProtocols> values{};

  constexpr double operator[](Protocol protocol) const { return values[static_cast<std::size_t>(protocol)]; }
  constexpr double& operator[](Protocol protocol) { return values[static_cast<std::size_t>(protocol)]; }
  friend constexpr bool operator==(const ByProtocol&, const ByProtocol&) = default;
};

constexpr ByProtocol same_for_all(double value) { return {{value, value, value}}; }

// `protocol_names` has `auto` first. protocols_named: that one, or all; throws std::invalid_argument.
std::vector<std::string> protocol_names();
std::vector<Protocol> protocols_named(std::string_view name);

}  // namespace trainsim
