#include <set>

#include "scenarios/format/forms.hpp"
#include "scenarios/format/sections.hpp"

namespace trainsim {

namespace {

// A GPU below a thousandth of its speed has failed; it does not straggle.
constexpr NumberRange kSpeed{.low = 0.001, .high = 1.0};

constexpr IntegerRange kSteps{1, 1'000'000'000};

// {name, nodes, placement, traffic: {kind, bytes, every}, from, to}
TrafficTenant read_traffic_tenant(MapReader& map) {
  TrafficTenant tenant;
  for (const char* key : {"nodes", "traffic"}) map.require(key);
  tenant.nodes = map.integer("nodes", {1, kMostGpus}).value_or(1);
  const Node* placement = map.node("placement");
  if (placement != nullptr && placement->kind == Node::Kind::map) {
    map.fault("placement", "a file is not supported yet for tenants", "packed | scattered");
  } else {
    tenant.placement =
        read_meaning<PlacementKind>(map, "placement",
                                    {{"packed", PlacementKind::packed}, {"scattered", PlacementKind::scattered}})
            .value_or(PlacementKind::packed);
  }
  read_map(map, "traffic", [&tenant](MapReader& traffic) {
    for (const char* key : {"kind", "bytes", "every"}) traffic.require(key);
    tenant.kind = traffic.choice("kind", {"all-reduce", "all-gather", "reduce-scatter", "all-to-all", "broadcast"})
                      .value_or(tenant.kind);
    tenant.bytes = traffic.quantity("bytes", Unit::bytes, kAboveZero).value_or(1.0);
    tenant.every_s = traffic.quantity("every", Unit::seconds, kAboveZero).value_or(1.0);
  });
  tenant.from_s = map.quantity("from", Unit::seconds).value_or(0.0);
  tenant.to_s = map.quantity("to", Unit::seconds);
  if (tenant.to_s && *tenant.to_s <= tenant.from_s) map.fault("to", "not after from", "a later time, or no end at all");
  return tenant;
}

// {name, share, of, busy, quiet}
ShareTenant read_share_tenant(MapReader& map) {
  ShareTenant tenant;
  map.require("of");
  tenant.share = map.number("share", kShare).value_or(0.5);
  tenant.tier = map.text("of").value_or("");
  tenant.busy_s = map.quantity("busy", Unit::seconds, kAboveZero);
  tenant.quiet_s = map.quantity("quiet", Unit::seconds, kAboveZero);
  if (map.has("busy")) map.require("quiet");
  if (map.has("quiet")) map.require("busy");
  return tenant;
}

void read_tenants(MapReader& conditions, Conditions& result) {
  std::set<std::string> names;
  std::size_t number = 0;
  read_items(conditions, "tenants", [&](const Node& item, const std::string& path) {
    MapReader map(item, path, conditions.context());
    const std::string name = map.text("name").value_or("tenant-" + std::to_string(++number));
    if (!names.insert(name).second) map.fault("name", "'" + name + "' a second time", "each tenant its own name");
    require_exactly_one(map, {"traffic", "share"});
    if (map.has("share")) {
      result.shares.push_back(read_share_tenant(map));
      result.shares.back().name = name;
    } else if (map.has("traffic")) {
      result.traffic.push_back(read_traffic_tenant(map));
      result.traffic.back().name = name;
    }
    if (map.has("share") != map.has("traffic")) map.finish();
  });
}

void read_stragglers(MapReader& conditions, Conditions& result) {
  read_items(conditions, "stragglers", [&](const Node& item, const std::string& path) {
    MapReader map(item, path, conditions.context());
    Straggler straggler;
    require_exactly_one(map, {"gpu", "fraction"});
    map.require("speed");
    straggler.gpu = map.integer("gpu", {0, kMostGpus - 1});
    straggler.fraction = map.number("fraction", kShare);
    straggler.speed = map.number("speed", kSpeed).value_or(1.0);
    map.finish();
    result.stragglers.push_back(straggler);
  });
}

void read_links(MapReader& conditions, Conditions& result) {
  read_items(conditions, "links", [&](const Node& item, const std::string& path) {
    MapReader map(item, path, conditions.context());
    DegradedLink link;
    for (const char* key : {"match", "bandwidth_factor"}) map.require(key);
    link.match = map.text("match").value_or("");
    link.bandwidth_factor = map.number("bandwidth_factor", kShare).value_or(1.0);
    map.finish();
    result.links.push_back(link);
  });
}

void read_jitter(MapReader& conditions, Conditions& result) {
  constexpr NumberRange kDeviation{.low = 0.0, .high = 1.0};
  read_map(conditions, "jitter", [&](MapReader& map) {
    result.kernel_jitter = map.number("compute", kDeviation);
    result.chip_spread = map.number("spread", kDeviation);
  });
}

void read_messages(MapReader& conditions, Conditions& result) {
  read_map(conditions, "messages", [&](MapReader& map) {
    map.require("delay");
    result.message_delay_s = map.quantity("delay", Unit::seconds).value_or(0.0);
  });
}

void read_throttling(MapReader& map) {
  map.quantity("gpu_power_limit", Unit::watts, kAboveZero);
  map.quantity("ambient", Unit::celsius, {.low = -100.0, .high = 100.0});
  map.choice("cooling", {"air", "liquid"});
}

void read_failures(MapReader& map) {
  for (const char* key : {"gpu_mtbf", "node_mtbf"}) map.quantity(key, Unit::seconds, kAboveZero);
  for (const char* key : {"detect", "restart"}) map.quantity(key, Unit::seconds);
  map.integer("spare_nodes", {0, kMostGpus});
}

// A time, {steps: N}, or (where `has_auto`) auto.
void read_interval(MapReader& map, bool has_auto) {
  const Node* every = map.node("every");
  if (every == nullptr) return;
  if (every->kind == Node::Kind::map) {
    read_map(map, "every", [](MapReader& form) {
      form.require("steps");
      form.integer("steps", kSteps);
    });
  } else if (!has_auto || every->scalar != "auto") {
    map.quantity("every", Unit::seconds, kAboveZero);
  }
}

void read_checkpoint(MapReader& map) {
  read_interval(map, true);
  map.choice("mode", {"blocking", "asynchronous"});
  const Node* bytes = map.node("bytes");
  if (bytes != nullptr && bytes->scalar != "auto") map.quantity("bytes", Unit::bytes, kAboveZero);
}

void read_evaluation(MapReader& map) {
  read_interval(map, false);
  map.quantity("time", Unit::seconds);
}

}  // namespace

Conditions read_conditions(MapReader& root) {
  Conditions conditions;
  read_map(root, "conditions", [&conditions](MapReader& map) {
    read_tenants(map, conditions);
    read_stragglers(map, conditions);
    read_links(map, conditions);
    read_messages(map, conditions);
    read_jitter(map, conditions);
    refuse_section(map, "throttling", read_throttling);
    refuse_section(map, "failures", read_failures);
    refuse_section(map, "checkpoint", read_checkpoint);
    refuse_section(map, "evaluation", read_evaluation);
  });
  return conditions;
}

}  // namespace trainsim
