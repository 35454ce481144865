#include "simulator/lowering/protocol.hpp"

#include <stdexcept>

namespace trainsim {

std::vector<std::string> protocol_names() {
  std::vector<std::string> names = {"auto"};
  names.insert(names.end(), kProtocolNames.begin(), kProtocolNames.end());
  return names;
}

std::vector<Protocol> protocols_named(std::string_view name) {
  if (name == "auto") return {kAllProtocols.begin(), kAllProtocols.end()};
  for (const Protocol protocol : kAllProtocols) {
    if (kProtocolNames[static_cast<std::size_t>(protocol)] == name) return {protocol};
  }
  std::string known;
  for (const std::string& one : protocol_names()) known += (known.empty() ? "" : ", ") + one;
  throw std::invalid_argument("no protocol " + std::string(name) + "; known are " + known);
}

}  // namespace trainsim
