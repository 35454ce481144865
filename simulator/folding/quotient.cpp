#include "simulator/folding/quotient.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "simulator/folding/refine.hpp"

namespace trainsim {
namespace {

// Lowest member of each class, and how many members it has.
struct Classes {
  std::vector<std::uint32_t> representative;
  std::vector<std::uint32_t> population;
};

Classes classes_of(const Colours& colours) {
  Classes classes;
  classes.representative.assign(colours.count, kNone);
  classes.population.assign(colours.count, 0);
  for (std::uint32_t i = 0; i < colours.of.size(); ++i) {
    const std::uint32_t colour = colours.of[i];
    if (colour == kNone) continue;
    if (classes.population[colour]++ == 0) classes.representative[colour] = i;
  }
  return classes;
}

std::vector<Quotient::RankClass> rank_classes(const Network& network, const Partition& partition) {
  const Classes classes = classes_of(partition.ranks);
  std::vector<Quotient::RankClass> result;
  for (std::uint32_t k = 0; k < partition.ranks.count; ++k) {
    const Network::Rank& rank = network.ranks[classes.representative[k]];
    Slots slots = no_slots();
    for (std::size_t s = 0; s < kSlots; ++s) {
      if (rank.slots[s] != kNone) slots[s] = partition.communicators.of[rank.slots[s]];
    }
    result.push_back({rank.program, rank.slowdown, classes.population[k], classes.representative[k], slots});
  }
  return result;
}

std::vector<Quotient::Shape> shapes_of(const Network& network, const PartList& parts, const Partition& partition,
                                       std::uint32_t communicator) {
  const auto& shapes = network.communicators[communicator].shapes;
  std::vector<Quotient::Shape> result(shapes.size());
  for (std::size_t s = 0; s < shapes.size(); ++s) result[s].phases.resize(shapes[s].phases.size());
  for (std::uint32_t p = parts.first_of_communicator[communicator]; p < parts.first_of_communicator[communicator + 1];
       ++p) {
    const auto& entry = parts.entries[p];
    auto& phase = result[entry.shape].phases[entry.phase];
    const std::uint32_t colour = partition.parts.of[p];
    if (std::ranges::find(phase, colour) == phase.end()) phase.push_back(colour);
  }
  return result;
}

std::vector<Quotient::CommunicatorClass> communicator_classes(const Network& network, const PartList& parts,
                                                              const Partition& partition) {
  const Classes classes = classes_of(partition.communicators);
  std::vector<Quotient::CommunicatorClass> result;
  for (std::uint32_t k = 0; k < partition.communicators.count; ++k) {
    const std::uint32_t index = classes.representative[k];
    const Network::Communicator& communicator = network.communicators[index];
    Quotient::CommunicatorClass entry;
    entry.kind = communicator.kind;
    for (const std::uint32_t member : communicator.members) {
      const std::uint32_t colour = partition.ranks.of[member];
      const bool is_new = std::ranges::find(entry.members, colour) == entry.members.end();
      if (is_new || communicator.is_ordered) entry.members.push_back(colour);
    }
    entry.shapes = shapes_of(network, parts, partition, index);
    entry.uses = communicator.uses;
    entry.population = classes.population[k];
    entry.representative = index;
    result.push_back(std::move(entry));
  }
  return result;
}

std::vector<Quotient::LinkClass> link_classes(const Network& network, const Partition& partition) {
  const Classes classes = classes_of(partition.links);
  std::vector<Quotient::LinkClass> result;
  for (std::uint32_t k = 0; k < partition.links.count; ++k) {
    result.push_back(
        {network.links[classes.representative[k]], classes.population[k], classes.representative[k], false});
  }
  return result;
}

// The ranks that take part, on one stream, in all communicators seen so far on a link.
struct Crossing {
  std::uint32_t last = kNone;  // communicator
  std::uint32_t stream = kNone;
  std::vector<std::uint32_t> everywhere;

  void add(const Network& network, std::uint32_t index) {
    if (index == last) return;
    const auto& communicator = network.communicators[index];
    std::vector<std::uint32_t> runners = communicator.members;
    if (communicator.is_ordered) runners.resize(1);  // only the sender has an op on the stream
    if (last == kNone) {
      everywhere = runners;
      stream = communicator.stream;
    } else {
      std::erase_if(everywhere, [&](std::uint32_t rank) { return !std::ranges::count(runners, rank); });
      if (stream != communicator.stream) everywhere.clear();
    }
    last = index;
  }
};

void find_sequential(const Network& network, const PartList& parts, const Partition& partition,
                     std::vector<Quotient::LinkClass>& links) {
  std::vector<Crossing> crossings(links.size());
  for (const auto& entry : parts.entries) {
    for (const LinkUse& use : entry.part->uses) {
      const std::uint32_t link_class = partition.links.of[use.link.index()];
      if (links[link_class].representative == use.link.value) crossings[link_class].add(network, entry.communicator);
    }
  }
  for (std::size_t l = 0; l < links.size(); ++l) {
    links[l].is_sequential = crossings[l].stream != kNone && !crossings[l].everywhere.empty();
  }
}

// n of a part class on a link class: summed over all parts of the class, on the representative link alone.
std::vector<Quotient::PartClass> part_classes(const PartList& parts, const Partition& partition,
                                              const std::vector<Quotient::LinkClass>& links) {
  const Classes classes = classes_of(partition.parts);
  std::vector<std::map<std::uint32_t, std::uint64_t>> n(partition.parts.count);
  for (std::size_t p = 0; p < parts.entries.size(); ++p) {
    for (const LinkUse& use : parts.entries[p].part->uses) {
      const std::uint32_t link_class = partition.links.of[use.link.index()];
      if (links[link_class].representative == use.link.value) n[partition.parts.of[p]][link_class] += use.n;
    }
  }
  std::vector<Quotient::PartClass> result;
  for (std::uint32_t k = 0; k < partition.parts.count; ++k) {
    const Part& part = *parts.entries[classes.representative[k]].part;
    Quotient::PartClass entry{part.latency_s, part.bytes, {}};
    for (const auto& [link, count] : n[k]) entry.uses.push_back({link, count});
    result.push_back(std::move(entry));
  }
  return result;
}

Quotient quotient_of(const Network& network, const PartList& parts, const Partition& partition) {
  Quotient quotient;
  quotient.ranks = rank_classes(network, partition);
  quotient.communicators = communicator_classes(network, parts, partition);
  quotient.links = link_classes(network, partition);
  find_sequential(network, parts, partition, quotient.links);
  quotient.parts = part_classes(parts, partition, quotient.links);
  return quotient;
}

}  // namespace

Quotient fold(const Network& network) {
  const PartList parts = list_parts(network);
  const Partition partition = refine(network, parts);
  if (!is_equitable(network, parts, partition)) throw std::logic_error("folding: the partition is not equitable");
  return quotient_of(network, parts, partition);
}

Quotient unfolded(const Network& network) {
  const PartList parts = list_parts(network);
  return quotient_of(network, parts, discrete(network, parts));
}

}  // namespace trainsim
