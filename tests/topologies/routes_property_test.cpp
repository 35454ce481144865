// Every pair of GPUs of random small machines has a proper route, whatever the sizes.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "tests/topologies/machines.hpp"

namespace trainsim::testing {
namespace {

struct Machine {
  NodeSpec node;
  FabricSpec fabric;
};

void split_into_trays(NodeSpec& node) {
  node.gpus_per_tray = *rc::gen::inRange<std::uint32_t>(1, node.gpus + 1);
  std::erase_if(node.pcie.switches, [&](const auto& group) { return group.back() >= node.gpus_per_tray; });
}

Machine random_machine() {
  const auto gpus = *rc::gen::inRange<std::uint32_t>(1, 9);
  const auto intra =
      *rc::gen::element(IntraKind::nvswitch, IntraKind::nvlink_mesh, IntraKind::xgmi_mesh, IntraKind::pcie_tree);
  Machine machine{node_of(gpus, intra), {}};
  machine.node.pcie.sockets = *rc::gen::inRange<std::uint32_t>(1, 4);
  if (*rc::gen::arbitrary<bool>()) machine.node.pcie.switches.clear();
  if (intra == IntraKind::nvswitch && *rc::gen::arbitrary<bool>()) split_into_trays(machine.node);
  const auto kind = *rc::gen::element(FabricKind::single_switch, FabricKind::leaf_spine, FabricKind::fat_tree,
                                      FabricKind::rail_optimized, FabricKind::rail_only);
  machine.fabric =
      fabric_of(kind, *rc::gen::inRange<std::uint32_t>(1, 12), 2 * *rc::gen::inRange<std::uint32_t>(8, 33));
  if (kind != FabricKind::rail_optimized && kind != FabricKind::rail_only) {
    machine.node.nics.attached = *rc::gen::element<std::string>("per-gpu", "per-socket");
    const std::uint32_t least = trays_of(machine.node) > 1 ? gpus : 1;
    machine.node.nics.count = *rc::gen::inRange<std::uint32_t>(least, gpus + 1);
  }
  return machine;
}

NodeOptions random_options() { return {*rc::gen::arbitrary<bool>(), *rc::gen::arbitrary<bool>()}; }

TEST(RouteProperty, EveryPairHasAProperRouteAndASimpleOneUnlessTheHostIsInTheWay) {
  EXPECT_TRUE(rc::check([] {
    const Machine machine = random_machine();
    const Topology topology = build_topology(machine.node, machine.fabric);
    const NodeOptions options = random_options();
    const Router router(topology, options);
    for (std::size_t a = 0; a < topology.gpus().size(); ++a) {
      for (std::size_t b = 0; b < topology.gpus().size(); ++b) {
        const auto route = router.route(GpuId(a), GpuId(b));
        RC_ASSERT(is_proper_route(topology, route, GpuId(a), GpuId(b)));
        if (options.peer_to_peer && options.gpudirect) RC_ASSERT(is_simple(topology, route));
      }
    }
  }));
}

TEST(RouteProperty, NvlinkIsTakenInsideANodeWheneverItIsThere) {
  EXPECT_TRUE(rc::check([] {
    Machine machine = random_machine();
    if (machine.node.intra == IntraKind::pcie_tree) machine.node.intra = IntraKind::nvswitch;
    const Topology topology = build_topology(machine.node, machine.fabric);
    const Router router(topology, random_options());
    for (std::size_t a = 0; a < machine.node.gpus; ++a) {
      for (std::size_t b = 0; b < machine.node.gpus; ++b) {
        for (const LinkId id : router.route(GpuId(a), GpuId(b))) RC_ASSERT(is_between_gpus(topology.link(id).kind));
      }
    }
  }));
}

TEST(RouteProperty, RemovingALinkOfARouteChangesItOrLeavesNone) {
  EXPECT_TRUE(rc::check([] {
    Machine machine = random_machine();
    machine.fabric.nodes += 1;  // at least two GPUs
    Topology topology = build_topology(machine.node, machine.fabric);
    const Router router(topology, random_options());
    const auto count = topology.gpus().size();
    const GpuId from(*rc::gen::inRange<std::size_t>(0, count));
    const GpuId to((from.index() + *rc::gen::inRange<std::size_t>(1, count)) % count);
    const auto before = router.route(from, to);
    topology.remove_link(*rc::gen::elementOf(before));
    try {
      const auto after = router.route(from, to);
      RC_ASSERT(after != before);
      RC_ASSERT(is_proper_route(topology, after, from, to));
    } catch (const NoRoute&) {
      RC_TAG("no route");
    }
  }));
}

TEST(RouteProperty, RoutesDoNotDependOnTheOrderOfQuestions) {
  EXPECT_TRUE(rc::check([] {
    const Machine machine = random_machine();
    const Topology topology = build_topology(machine.node, machine.fabric);
    const NodeOptions options = random_options();
    const Router used(topology, options);
    const auto count = topology.gpus().size();
    for (int i = 0; i < 20; ++i) {
      const GpuId from(*rc::gen::inRange<std::size_t>(0, count));
      const GpuId to(*rc::gen::inRange<std::size_t>(0, count));
      RC_ASSERT(used.route(from, to) == Router(topology, options).route(from, to));
    }
  }));
}

TEST(FabricProperty, EveryNicHasOneCableEachWayAndEveryGroupOneBundleUp) {
  EXPECT_TRUE(rc::check([] {
    const Machine machine = random_machine();
    const Topology topology = build_topology(machine.node, machine.fabric);
    const auto nics = devices(topology, DeviceKind::nic).size();
    RC_ASSERT(count_links(topology, LinkKind::nic) == (machine.fabric.nodes > 1 ? 2 * nics : 0));
    for (std::uint16_t t = 0; t + 1U < topology.tier_names.size(); ++t) {
      RC_ASSERT(up_links(topology, t).size() == tier(topology, t).size());
    }
    for (const LinkId id : all_links(topology)) RC_ASSERT(topology.link(id).capacity_bytes_per_s() > 0.0);
  }));
}

}  // namespace
}  // namespace trainsim::testing
