#include <stdexcept>

#include "simulator/base/embedded_folder.hpp"
#include "simulator/input/embedded_document.hpp"
#include "simulator/input/sourced_section.hpp"
#include "simulator/lowering/collective_catalog.hpp"

namespace trainsim {

EmbeddedFolder collective_catalog_files();

namespace {

constexpr NumberRange kShare{0.0, 1.0, true};
constexpr NumberRange kShareOrNone{0.0, 1.0};

void require_entry(const Node& list, std::string_view name, const std::string& what) {
  if (list.find(name) != nullptr) return;
  std::string known;
  for (const auto& entry : list.entries) known += (known.empty() ? "" : ", ") + entry.first;
  throw std::invalid_argument("no collective constants for " + what + " " + std::string(name) + "; known are " + known);
}

void add_sources(const SourcedSection& section, CollectiveCatalog& catalog) {
  for (const std::string& source : section.sources()) {
    catalog.source += (catalog.source.empty() ? "" : "; ") + source;
  }
  catalog.is_estimated = catalog.is_estimated || !section.estimated().empty();
}

// A figure for each protocol, {LL: …, LL128: …, Simple: …}.
ByProtocol read_latencies(SourcedSection& section, std::string_view key) {
  ByProtocol figures;
  const Node* node = section.figure(key);
  if (node == nullptr) return figures;
  MapReader map(*node, section.path_of(key), section.context());
  for (const Protocol protocol : kAllProtocols) {
    const std::string_view name = kProtocolNames[static_cast<std::size_t>(protocol)];
    map.require(name);
    figures[protocol] = map.quantity(name, Unit::seconds).value_or(0.0);
  }
  map.finish();
  return figures;
}

// {LL: …, LL128: …} of what Simple carries, or with Simple's own share of the link's usual efficiency.
ByProtocol read_shares(SourcedSection& section, std::string_view key) {
  ByProtocol shares = same_for_all(1.0);
  const Node* node = section.figure(key);
  if (node == nullptr) return shares;
  MapReader map(*node, section.path_of(key), section.context());
  for (const Protocol protocol : kAllProtocols) {
    const std::string_view name = kProtocolNames[static_cast<std::size_t>(protocol)];
    if (protocol != Protocol::simple) map.require(name);
    shares[protocol] = map.number(name, kShareOrNone).value_or(shares[protocol]);
  }
  map.finish();
  return shares;
}

void read_architecture(MapReader& list, std::string_view name, CollectiveCatalog& catalog) {
  SourcedSection section(list, name);
  catalog.base_latency_s = read_latencies(section, "base_latency");
  catalog.nvlink = {section.number("nvlink_efficiency", kShare), read_latencies(section, "nvlink_hop")};
  catalog.nvlink_share = read_shares(section, "nvlink_share");
  catalog.pcie.hop_latency_s = read_latencies(section, "pcie_hop");
  catalog.nvls.share = section.number("nvls_share", kShareOrNone);
  catalog.nvls.latency_s = section.quantity("nvls_latency", Unit::seconds);
  catalog.pairs.base_latency_s[Protocol::ll] = section.quantity("send_latency_ll", Unit::seconds);
  catalog.pairs.base_latency_s[Protocol::simple] = section.quantity("send_latency_simple", Unit::seconds);
  catalog.pairs.ll_share = section.number("pair_ll_share", kShare);
  catalog.pairs.own_share = section.number("own_piece_share", kShareOrNone);
  section.finish();
  add_sources(section, catalog);
}

void read_algorithms(MapReader& file, CollectiveCatalog& catalog) {
  SourcedSection section(file, "algorithms");
  catalog.ring_own_step = section.number("ring_own_step", kShareOrNone);
  catalog.tree_efficiency = section.number("tree_efficiency", kShare);
  catalog.tree_most_ranks = static_cast<std::uint32_t>(section.number("tree_most_ranks"));
  catalog.pat_efficiency = section.number("pat_efficiency", kShare);
  catalog.nvls.most_ranks = static_cast<std::uint32_t>(section.number("nvls_most_ranks"));
  catalog.collnet.ll_share = section.number("collnet_ll_share", kShare);
  catalog.collnet.nvlink_share = section.number("collnet_nvlink_share", kShare);
  catalog.pairs.group_factor = section.number("group_latency_factor");
  catalog.pairs.efficiency = section.number("group_efficiency", kShare);
  section.finish();
  add_sources(section, catalog);
}

void read_host(MapReader& file, CollectiveCatalog& catalog) {
  SourcedSection section(file, "host");
  catalog.pcie.efficiency = section.number("pcie_efficiency", kShare);
  catalog.pcie_share = read_shares(section, "pcie_share");
  catalog.socket = {section.number("socket_efficiency", kShare), read_latencies(section, "socket_hop")};
  section.finish();
  add_sources(section, catalog);
}

// A NIC and the cables behind it carry the same packets.
void read_protocol(MapReader& list, std::string_view name, CollectiveCatalog& catalog) {
  SourcedSection section(list, name);
  catalog.nic = {section.number("efficiency", kShare), read_latencies(section, "hop")};
  catalog.fabric = catalog.nic;
  catalog.fabric_share = read_shares(section, "share");
  catalog.tree_hop_factor = section.number("tree_hop_factor");
  catalog.one_round_hop_factor = section.number("one_round_hop_factor");
  catalog.collnet.latency_s = read_latencies(section, "collnet_latency");
  section.finish();
  add_sources(section, catalog);
}

CollectiveCatalog read_catalog(const Node& file, ReadContext& context, std::string_view protocol,
                               std::string_view architecture) {
  MapReader root(file, "", context);
  const Node* architectures = root.node("architectures");
  const Node* protocols = root.node("protocols");
  if (architectures == nullptr || protocols == nullptr) throw std::logic_error("incomplete collective catalog");
  require_entry(*architectures, architecture, "architecture");
  require_entry(*protocols, protocol, "protocol");
  MapReader architecture_list(*architectures, "architectures", context);
  MapReader protocol_list(*protocols, "protocols", context);
  CollectiveCatalog catalog;
  read_architecture(architecture_list, architecture, catalog);
  read_host(root, catalog);
  read_algorithms(root, catalog);
  read_protocol(protocol_list, protocol, catalog);
  root.finish();
  return catalog;
}

}  // namespace

const CollectiveCatalog::PerKind& CollectiveCatalog::of(LinkKind kind) const {
  switch (kind) {
    case LinkKind::nvlink:
    case LinkKind::xgmi:
    case LinkKind::roce:
      return nvlink;  // the architecture's own links, whatever they are called
    case LinkKind::pcie:
      return pcie;
    case LinkKind::socket:
      return socket;
    case LinkKind::nic:
      return nic;
    case LinkKind::fabric:
      return fabric;
  }
  throw std::invalid_argument("unknown kind of link");
}

const ByProtocol& CollectiveCatalog::share_of(LinkKind kind) const {
  if (is_between_gpus(kind)) return nvlink_share;
  return kind == LinkKind::nic || kind == LinkKind::fabric ? fabric_share : pcie_share;
}

void CollectiveCatalog::tune(double efficiency_factor) {
  for (PerKind* kind : {&nvlink, &pcie, &socket, &nic, &fabric}) kind->efficiency *= efficiency_factor;
}

CollectiveCatalog collective_catalog(std::string_view protocol, std::string_view architecture) {
  return read_embedded(collective_catalog_files().find("collectives"), [&](const Node& root, ReadContext& context) {
    return read_catalog(root, context, protocol, architecture);
  });
}

std::string_view collective_catalog_sha256() { return collective_catalog_files().sha256(); }

}  // namespace trainsim
