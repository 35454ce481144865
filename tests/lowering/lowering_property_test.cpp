#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <set>

#include "tests/lowering/machines.hpp"

namespace trainsim {
namespace {

using Kind = CollectiveKind;

struct Shape {
  std::uint32_t nodes, gpus, nics;
};

Shape any_shape() {
  Shape shape{};
  shape.nodes = *rc::gen::inRange(1U, 7U);
  shape.gpus = *rc::gen::element(1U, 2U, 4U, 8U);
  shape.nics = *rc::gen::element(1U, shape.gpus);
  RC_PRE(shape.nodes * shape.gpus > 1);
  return shape;
}

Kind any_kind() {
  return *rc::gen::element(Kind::all_reduce, Kind::all_gather, Kind::reduce_scatter, Kind::all_to_all, Kind::broadcast);
}

std::string any_algorithm(Kind kind) {
  if (kind == Kind::all_reduce) return *rc::gen::element<std::string>("auto", "ring", "tree", "hierarchical");
  return has_algorithm(kind, "pat") ? *rc::gen::element<std::string>("ring", "pat") : "ring";
}

// A random subset of the ranks, at least two, in random order.
std::vector<RankId> some_ranks(const Machine& machine) {
  std::vector<RankId> ranks = machine.all;
  for (std::size_t i = ranks.size(); i > 1; --i) std::swap(ranks[i - 1], ranks[*rc::gen::inRange<std::size_t>(0, i)]);
  ranks.resize(*rc::gen::inRange<std::size_t>(2, ranks.size() + 1));
  return ranks;
}

// Bytes over all connections, in units of the payload.
double total_share(Kind kind, double n) {
  switch (kind) {
    case Kind::all_reduce:
      return 2.0 * (n - 1);
    case Kind::send:
      return 1.0;
    default:
      return n - 1;  // all-gather, reduce-scatter, broadcast; all-to-all: n (n-1) pairs of 1/n
  }
}

bool is_close(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b)); }

TEST(LoweringProperties, BytesSentAreBytesReceivedAndWhatTheCollectiveNeeds) {
  EXPECT_TRUE(rc::check([] {
    const Shape shape = any_shape();
    const Machine machine(shape.nodes, shape.gpus, shape.nics);
    const std::vector<RankId> ranks = some_ranks(machine);
    const Kind kind = any_kind();
    const Transfer transfer = machine.transfer(kind, 1e9, kind == Kind::all_reduce ? "auto" : "ring", ranks);
    const double n = static_cast<double>(ranks.size());
    // A relay over NVLink to the GPU of the rail sends the same bytes once more, and receives them once more.
    const double sent = bytes_sent(machine.topology, transfer);
    RC_ASSERT(is_close(sent, bytes_received(machine.topology, transfer)));
    RC_ASSERT(sent >= total_share(kind, n) * 1e9 * (1 - 1e-9));
    if (shape.nodes == 1) RC_ASSERT(is_close(sent, total_share(kind, n) * 1e9));
  }));
}

TEST(LoweringProperties, FullMachinesSendExactlyTheClosedForm) {
  EXPECT_TRUE(rc::check([] {
    const Shape shape = any_shape();
    const Machine machine(shape.nodes, shape.gpus, shape.nics);
    const Kind kind = any_kind();
    RC_PRE(kind != Kind::all_to_all);
    const std::string algorithm = any_algorithm(kind);
    RC_PRE(!(shape.nodes % 2 == 1 && shape.gpus == 2 && shape.nics == 2));
    const double sent = bytes_sent(machine.topology, machine.transfer(kind, 1e9, algorithm));
    RC_ASSERT(is_close(sent, total_share(kind, shape.nodes * shape.gpus) * 1e9));
  }));
}

TEST(LoweringProperties, EveryDeviceOnTheWayPassesOnWhatItReceives) {
  EXPECT_TRUE(rc::check([] {
    const Shape shape = any_shape();
    const Machine machine(shape.nodes, shape.gpus, shape.nics);
    const Kind kind = any_kind();
    const std::map<LinkId, double> load = loads(machine.transfer(kind, 1e9, any_algorithm(kind)));
    std::map<VertexId, double> balance;
    for (const auto& [link, bytes] : load) {
      balance[machine.topology.source(link)] -= bytes;
      balance[machine.topology.target(link)] += bytes;
    }
    for (const auto& [vertex, surplus] : balance) {
      if (machine.topology.device(vertex).kind != DeviceKind::gpu) RC_ASSERT(std::abs(surplus) < 1.0);
    }
  }));
}

TEST(LoweringProperties, EachPartNamesEachLinkOnceInOrder) {
  EXPECT_TRUE(rc::check([] {
    const Shape shape = any_shape();
    const Machine machine(shape.nodes, shape.gpus, shape.nics);
    const Kind kind = any_kind();
    for (const Phase& phase : machine.transfer(kind, 1e9, any_algorithm(kind)).phases) {
      for (const Part& part : phase.parts) {
        for (std::size_t i = 1; i < part.uses.size(); ++i) RC_ASSERT(part.uses[i - 1].link < part.uses[i].link);
        for (const LinkUse& use : part.uses) RC_ASSERT(use.n >= 1U);
      }
    }
  }));
}

TEST(LoweringProperties, EveryLinkUsedIsOnARouteBetweenTwoMembers) {
  EXPECT_TRUE(rc::check([] {
    const Shape shape = any_shape();
    const Machine machine(shape.nodes, shape.gpus, shape.nics);
    const std::vector<RankId> ranks = some_ranks(machine);
    std::set<LinkId> allowed;
    for (const RankId a : ranks) {
      for (const RankId b : ranks) {
        for (const LinkId link : machine.router.route(machine.gpu_of_rank[a.index()], machine.gpu_of_rank[b.index()])) {
          allowed.insert(link);
        }
      }
    }
    const Kind kind = any_kind();
    for (const auto& entry : loads(machine.transfer(kind, 1e9, "auto", ranks)))
      RC_ASSERT(allowed.contains(entry.first));
  }));
}

TEST(LoweringProperties, HalfTheBytesOnTwiceTheConnectionsTakesTheSameTime) {
  EXPECT_TRUE(rc::check([] {
    const Shape shape = any_shape();
    const Machine machine(shape.nodes, shape.gpus, shape.nics);
    const Kind kind = any_kind();
    const Transfer transfer = machine.transfer(kind, 1e9, any_algorithm(kind));
    Transfer rewritten = transfer;
    for (Phase& phase : rewritten.phases) {
      for (Part& part : phase.parts) {
        part.bytes /= 2;
        for (LinkUse& use : part.uses) use.n *= 2;
      }
    }
    RC_ASSERT(is_close(machine.time_s(transfer), machine.time_s(rewritten)));
  }));
}

TEST(LoweringProperties, ScaledIsTheLoweringOfTheScaledPayload) {
  EXPECT_TRUE(rc::check([] {
    const Shape shape = any_shape();
    const Machine machine(shape.nodes, shape.gpus, shape.nics);
    const Kind kind = any_kind();
    const std::string algorithm = kind == Kind::all_reduce ? *rc::gen::element<std::string>("ring", "tree") : "ring";
    const double factor = *rc::gen::inRange(1, 1000) / 10.0;
    const Transfer direct = machine.transfer(kind, 1e6 * factor, algorithm);
    RC_ASSERT(is_close(machine.time_s(direct), machine.time_s(scaled(machine.transfer(kind, 1e6, algorithm), factor))));
  }));
}

// NCCL takes a tree over two nodes for slower than it is, so what changes the choice there may do so for the worse.
bool may_choose_the_slower(Kind kind, const Shape& shape) { return kind == Kind::all_reduce && shape.nodes == 2; }

TEST(LoweringProperties, TimeRisesWithBytesAndLatencyAndFallsWithBandwidth) {
  EXPECT_TRUE(rc::check([] {
    const Shape shape = any_shape();
    const Kind kind = any_kind();
    const std::string algorithm = any_algorithm(kind);
    RC_PRE(algorithm != "auto" || !may_choose_the_slower(kind, shape));
    const double bytes = *rc::gen::inRange(1, 1 << 30);
    const NodeSpec node = round_node(shape.gpus, shape.nics);
    const FabricSpec fabric = round_fabric(shape.nodes);
    const auto time_s = [&](const NodeSpec& n, const FabricSpec& f, double payload) {
      const Machine machine(n, f);
      return machine.time_s(machine.transfer(kind, payload, algorithm));
    };
    const double before_s = time_s(node, fabric, bytes);
    RC_ASSERT(time_s(node, fabric, bytes * 2) > before_s);
    NodeSpec faster = node;
    faster.intra_bandwidth_bytes_per_s *= 2;
    faster.nics.bandwidth_bytes_per_s *= 2;
    FabricSpec faster_fabric = fabric;
    faster_fabric.link_bandwidth_bytes_per_s *= 2;
    RC_ASSERT(time_s(faster, faster_fabric, bytes) < before_s);
    NodeSpec farther = node;
    farther.intra_latency_s *= 2;
    FabricSpec farther_fabric = fabric;
    farther_fabric.latency_s *= 2;
    RC_ASSERT(time_s(farther, farther_fabric, bytes) > before_s);
  }));
}

// The shipped constants, where protocols and algorithms differ.
TEST(LoweringProperties, WithTheShippedConstantsTimeRisesWithBytesAndFallsWithBandwidth) {
  EXPECT_TRUE(rc::check([] {
    const Shape shape = any_shape();
    const Kind kind = any_kind();
    RC_PRE(!may_choose_the_slower(kind, shape));
    const std::string architecture = *rc::gen::element<std::string>("ampere", "hopper", "blackwell", "cdna3");
    const std::string protocol = *rc::gen::element<std::string>("infiniband", "roce", "efa");
    const CollectiveChoice choice{"auto", *rc::gen::element<std::string>("auto", "LL", "LL128", "Simple"),
                                  *rc::gen::arbitrary<bool>()};
    const double bytes = *rc::gen::inRange(1, 1 << 30);
    const CollectiveCatalog constants = collective_catalog(protocol, architecture);
    const auto time_s = [&](double speed, double payload) {
      NodeSpec node = round_node(shape.gpus, shape.nics);
      node.intra_bandwidth_bytes_per_s *= speed;
      node.nics.bandwidth_bytes_per_s *= speed;
      FabricSpec fabric = round_fabric(shape.nodes);
      fabric.link_bandwidth_bytes_per_s *= speed;
      const Machine machine(node, fabric, constants);
      return machine.time_s(machine.transfer(kind, payload, choice, machine.all));
    };
    const double before_s = time_s(1, bytes);
    RC_ASSERT(time_s(1, bytes * 1.01) > before_s);
    RC_ASSERT(time_s(2, bytes) < before_s);
  }));
}

// But for a tree over two nodes, which NCCL takes for slower than it is.
TEST(LoweringProperties, AutoIsNeverSlowerThanAnythingThatItTries) {
  EXPECT_TRUE(rc::check([] {
    const Shape shape = any_shape();
    const CollectiveCatalog constants =
        collective_catalog(*rc::gen::element<std::string>("infiniband", "efa"),
                           *rc::gen::element<std::string>("ampere", "hopper", "blackwell"));
    const Machine machine(round_node(shape.gpus, shape.nics), round_fabric(shape.nodes), constants);
    const double bytes = *rc::gen::inRange(1, 1 << 30);
    const double auto_s = machine.time_s(machine.transfer(Kind::all_reduce, bytes, "auto"));
    for (const char* algorithm : {"ring", "tree", "nvls"}) {
      if (std::string(algorithm) == "tree" && shape.nodes <= 2) continue;  // on one node not tried
      for (const char* protocol : {"LL", "LL128", "Simple"}) {
        const CollectiveChoice choice{algorithm, protocol, false};
        const double other_s = machine.time_s(machine.transfer(Kind::all_reduce, bytes, choice, machine.all));
        RC_ASSERT(auto_s <= other_s * (1 + 1e-12));
      }
    }
  }));
}

}  // namespace
}  // namespace trainsim
