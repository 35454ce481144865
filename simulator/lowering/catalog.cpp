#include <stdexcept>

#include "simulator/base/embedded_folder.hpp"
#include "simulator/input/embedded_document.hpp"
#include "simulator/input/sourced_section.hpp"
#include "simulator/lowering/lowering.hpp"

namespace trainsim {

EmbeddedFolder collective_catalog_files();

namespace {

constexpr NumberRange kShare{0.0, 1.0, true};

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

void read_architecture(MapReader& list, std::string_view name, CollectiveCatalog& catalog) {
  SourcedSection section(list, name);
  catalog.base_latency_s = section.quantity("base_latency", Unit::seconds);
  catalog.nvlink = {section.number("nvlink_efficiency", kShare), section.quantity("nvlink_hop", Unit::seconds)};
  catalog.pcie.hop_latency_s = section.quantity("pcie_hop", Unit::seconds);
  section.finish();
  add_sources(section, catalog);
}

void read_algorithms(MapReader& file, CollectiveCatalog& catalog) {
  SourcedSection section(file, "algorithms");
  catalog.tree_efficiency = section.number("tree_efficiency", kShare);
  section.finish();
  add_sources(section, catalog);
}

void read_host(MapReader& file, CollectiveCatalog& catalog) {
  SourcedSection section(file, "host");
  catalog.pcie.efficiency = section.number("pcie_efficiency", kShare);
  catalog.socket = {section.number("socket_efficiency", kShare), section.quantity("socket_hop", Unit::seconds)};
  section.finish();
  add_sources(section, catalog);
}

// A NIC and the cables behind it carry the same packets.
void read_protocol(MapReader& list, std::string_view name, CollectiveCatalog& catalog) {
  SourcedSection section(list, name);
  catalog.nic = {section.number("efficiency", kShare), section.quantity("hop", Unit::seconds)};
  catalog.fabric = catalog.nic;
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
