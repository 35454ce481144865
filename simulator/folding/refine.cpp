#include "simulator/folding/refine.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <unordered_map>

namespace trainsim {
namespace {

using Word = std::uint64_t;

// Gives equal numbers to equal signatures. Signatures are kept, so that a hash collision cannot merge two classes.
class Renumbering {
 public:
  explicit Renumbering(std::size_t objects) { of_.reserve(objects); }

  void add(std::span<const Word> signature) {
    const Word key = hash(signature);
    auto& candidates = by_hash_[key];
    for (const std::uint32_t candidate : candidates) {
      const std::span<const Word> known(words_.data() + begin_[candidate], begin_[candidate + 1] - begin_[candidate]);
      if (std::ranges::equal(known, signature)) {
        of_.push_back(candidate);
        return;
      }
    }
    const auto colour = static_cast<std::uint32_t>(begin_.size() - 1);
    words_.insert(words_.end(), signature.begin(), signature.end());
    begin_.push_back(words_.size());
    candidates.push_back(colour);
    of_.push_back(colour);
  }

  void add_none() { of_.push_back(kNone); }

  Colours take() { return {std::move(of_), static_cast<std::uint32_t>(begin_.size() - 1)}; }

 private:
  static Word hash(std::span<const Word> signature) {
    Word state = 0x9e3779b97f4a7c15ULL;
    for (const Word word : signature) {
      state ^= word;
      state *= 0xff51afd7ed558ccdULL;
      state ^= state >> 32;
    }
    return state;
  }

  std::vector<std::uint32_t> of_;
  std::vector<Word> words_;
  std::vector<std::size_t> begin_{0};
  std::unordered_map<Word, std::vector<std::uint32_t>> by_hash_;
};

// Which parts cross each link, in compressed rows.
struct LinkRows {
  std::vector<std::uint32_t> begin;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> part_and_n;
};

LinkRows transpose(const Network& network, const PartList& parts) {
  LinkRows rows;
  rows.begin.assign(network.links.size() + 1, 0);
  for (const auto& entry : parts.entries) {
    for (const LinkUse& use : entry.part->uses) ++rows.begin[use.link.index() + 1];
  }
  for (std::size_t i = 1; i < rows.begin.size(); ++i) rows.begin[i] += rows.begin[i - 1];
  rows.part_and_n.resize(rows.begin.back());
  std::vector<std::uint32_t> next(rows.begin.begin(), rows.begin.end() - 1);
  for (std::uint32_t p = 0; p < parts.entries.size(); ++p) {
    for (const LinkUse& use : parts.entries[p].part->uses) rows.part_and_n[next[use.link.index()]++] = {p, use.n};
  }
  return rows;
}

Word bits(double value) { return std::bit_cast<Word>(value); }
Word pair_word(std::uint32_t high, std::uint32_t low) { return (static_cast<Word>(high) << 32U) | low; }

// Appends the sorted multiset `items` as (item, count) runs.
void append_runs(std::vector<Word>& signature, std::vector<Word>& items) {
  std::ranges::sort(items);
  for (std::size_t i = 0; i < items.size();) {
    std::size_t end = i;
    while (end < items.size() && items[end] == items[i]) ++end;
    signature.push_back(items[i]);
    signature.push_back(end - i);
    i = end;
  }
  signature.push_back(~Word{0});
}

class Refinement {
 public:
  Refinement(const Network& network, const PartList& parts)
      : network_(network), parts_(parts), rows_(transpose(network, parts)) {}

  // What objects are before anyone looks at their neighbours.
  Partition initial() {
    Partition partition;
    partition.ranks = colour_ranks();
    partition.communicators = colour_communicators();
    partition.parts = colour_parts();
    partition.links = colour_links();
    return partition;
  }

  // One round: everyone looks at the neighbours' old colours. Splits classes, never joins them.
  Partition round(const Partition& old) {
    Partition next;
    next.parts = refine_parts(old);
    next.communicators = refine_communicators(old, next.parts);
    next.links = refine_links(old, next.parts);
    next.ranks = refine_ranks(old, next.communicators);
    return next;
  }

 private:
  Colours colour_ranks() {
    Renumbering numbers(network_.ranks.size());
    for (const auto& rank : network_.ranks) {
      const Word signature[] = {rank.program, bits(rank.slowdown)};
      numbers.add(signature);
    }
    return numbers.take();
  }

  Colours colour_communicators() {
    Renumbering numbers(network_.communicators.size());
    for (const auto& communicator : network_.communicators) {
      signature_.assign({communicator.kind, communicator.members.size(), communicator.shapes.size()});
      for (const auto& use : communicator.uses) {
        signature_.push_back(pair_word(use.collective, use.shape));
        signature_.push_back(bits(use.payload_bytes));
      }
      numbers.add(signature_);
    }
    return numbers.take();
  }

  Colours colour_parts() {
    Renumbering numbers(parts_.entries.size());
    for (const auto& entry : parts_.entries) {
      const Word signature[] = {pair_word(entry.shape, entry.phase), bits(entry.part->latency_s),
                                bits(entry.part->bytes)};
      numbers.add(signature);
    }
    return numbers.take();
  }

  Colours colour_links() {
    Renumbering numbers(network_.links.size());
    for (std::size_t l = 0; l < network_.links.size(); ++l) {
      if (rows_.begin[l] == rows_.begin[l + 1]) {
        numbers.add_none();
        continue;
      }
      const auto& link = network_.links[l];
      const Word kind = (Word{link.tier} << 16U) | (static_cast<Word>(link.kind) << 1U) | Word{link.is_up};
      const Word signature[] = {bits(link.capacity_bytes_per_s), kind, link.shares};
      numbers.add(signature);
    }
    return numbers.take();
  }

  Colours refine_parts(const Partition& old) {
    Renumbering numbers(parts_.entries.size());
    for (std::size_t p = 0; p < parts_.entries.size(); ++p) {
      const auto& entry = parts_.entries[p];
      signature_.assign({old.parts.of[p], old.communicators.of[entry.communicator]});
      items_.clear();
      for (const LinkUse& use : entry.part->uses) items_.push_back(pair_word(old.links.of[use.link.index()], use.n));
      append_runs(signature_, items_);
      numbers.add(signature_);
    }
    return numbers.take();
  }

  Colours refine_communicators(const Partition& old, const Colours& parts) {
    Renumbering numbers(network_.communicators.size());
    for (std::size_t c = 0; c < network_.communicators.size(); ++c) {
      const auto& communicator = network_.communicators[c];
      signature_.assign({old.communicators.of[c]});
      items_.clear();
      for (const std::uint32_t member : communicator.members) items_.push_back(old.ranks.of[member]);
      if (communicator.is_ordered) {
        signature_.insert(signature_.end(), items_.begin(), items_.end());
      } else {
        append_runs(signature_, items_);
      }
      items_.clear();
      for (std::uint32_t p = parts_.first_of_communicator[c]; p < parts_.first_of_communicator[c + 1]; ++p) {
        items_.push_back(parts.of[p]);
      }
      append_runs(signature_, items_);
      numbers.add(signature_);
    }
    return numbers.take();
  }

  Colours refine_links(const Partition& old, const Colours& parts) {
    Renumbering numbers(network_.links.size());
    for (std::size_t l = 0; l < network_.links.size(); ++l) {
      if (old.links.of[l] == kNone) {
        numbers.add_none();
        continue;
      }
      signature_.assign({old.links.of[l]});
      items_.clear();
      for (std::uint32_t i = rows_.begin[l]; i < rows_.begin[l + 1]; ++i) {
        const auto& [part, n] = rows_.part_and_n[i];
        items_.push_back(pair_word(parts.of[part], n));
      }
      append_runs(signature_, items_);
      numbers.add(signature_);
    }
    return numbers.take();
  }

  Colours refine_ranks(const Partition& old, const Colours& communicators) {
    Renumbering numbers(network_.ranks.size());
    for (std::size_t r = 0; r < network_.ranks.size(); ++r) {
      signature_.assign({old.ranks.of[r]});
      for (const std::uint32_t communicator : network_.ranks[r].slots) {
        signature_.push_back(communicator == kNone ? kNone : communicators.of[communicator]);
      }
      numbers.add(signature_);
    }
    return numbers.take();
  }

  const Network& network_;
  const PartList& parts_;
  LinkRows rows_;
  std::vector<Word> signature_;
  std::vector<Word> items_;
};

std::uint64_t class_count(const Partition& partition) {
  return std::uint64_t{partition.ranks.count} + partition.communicators.count + partition.parts.count +
         partition.links.count;
}

Colours distinct_colours(std::size_t count) {
  Colours colours;
  colours.of.resize(count);
  for (std::size_t i = 0; i < count; ++i) colours.of[i] = static_cast<std::uint32_t>(i);
  colours.count = static_cast<std::uint32_t>(count);
  return colours;
}

}  // namespace

PartList list_parts(const Network& network) {
  PartList list;
  list.first_of_communicator.push_back(0);
  for (std::uint32_t c = 0; c < network.communicators.size(); ++c) {
    const auto& shapes = network.communicators[c].shapes;
    for (std::size_t s = 0; s < shapes.size(); ++s) {
      for (std::size_t f = 0; f < shapes[s].phases.size(); ++f) {
        for (const Part& part : shapes[s].phases[f].parts) {
          list.entries.push_back({c, static_cast<std::uint16_t>(s), static_cast<std::uint16_t>(f), &part});
        }
      }
    }
    list.first_of_communicator.push_back(static_cast<std::uint32_t>(list.entries.size()));
  }
  return list;
}

Partition refine(const Network& network, const PartList& parts, int max_rounds) {
  Refinement refinement(network, parts);
  Partition partition = refinement.initial();
  for (int round = 0; round < max_rounds; ++round) {
    Partition next = refinement.round(partition);
    const bool is_stable = class_count(next) == class_count(partition);
    partition = std::move(next);
    if (is_stable) break;
  }
  return partition;
}

Partition discrete(const Network& network, const PartList& parts) {
  Partition partition;
  partition.ranks = distinct_colours(network.ranks.size());
  partition.communicators = distinct_colours(network.communicators.size());
  partition.parts = distinct_colours(parts.entries.size());
  partition.links.of.assign(network.links.size(), kNone);
  std::vector<bool> is_used(network.links.size(), false);
  for (const auto& entry : parts.entries) {
    for (const LinkUse& use : entry.part->uses) is_used[use.link.index()] = true;
  }
  for (std::size_t l = 0; l < network.links.size(); ++l) {
    if (is_used[l]) partition.links.of[l] = partition.links.count++;
  }
  return partition;
}

bool is_equitable(const Network& network, const PartList& parts, const Partition& partition) {
  return class_count(Refinement(network, parts).round(partition)) == class_count(partition);
}

}  // namespace trainsim
