#include "simulator/accounting/wait_chain.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace trainsim {
namespace {

Label exposed_label(Group group, bool has_pipeline) {
  switch (group) {
    case Group::tensor:
      return Label::exposed_tensor;
    case Group::context:
      return Label::exposed_context;
    case Group::expert:
    case Group::expert_tensor:
      return Label::exposed_expert;
    case Group::data:
    case Group::shard:
    case Group::replica:
    case Group::expert_data:
      return Label::exposed_data;
    case Group::pipeline_forward:
    case Group::pipeline_backward:
    case Group::embedding:
      return Label::exposed_pipeline;
    case Group::gradient_norm:
      break;
  }
  return has_pipeline ? Label::exposed_pipeline : Label::exposed_tensor;
}

// Loads closer than this are the same: which of two full links binds must not depend on rounding, so that folded and
// unfolded plays agree.
constexpr double kLoadStep = 1e-6;

// Highest load of a link class in the measured steps, in steps of its capacity.
std::int64_t peak_load(const PlayedSteps& played, std::uint32_t link) {
  const Timeline& timeline = played.timeline;
  double peak_bytes_per_s = 0.0;
  for (std::uint32_t step = timeline.first_measured_step; step <= timeline.last_measured_step; ++step) {
    peak_bytes_per_s = std::max(peak_bytes_per_s, timeline.loads[step][link].peak_bytes_per_s);
  }
  return std::llround(peak_bytes_per_s / played.quotient.links[link].link.capacity_bytes_per_s / kLoadStep);
}

// The kind of the fullest link that the communicator crosses; of equally full ones the farthest from the GPU.
std::uint8_t binding_kind(const Quotient& quotient, const Quotient::CommunicatorClass& communicator,
                          const std::vector<std::int64_t>& peak_loads) {
  std::pair<std::int64_t, LinkKind> fullest{-1, LinkKind::nvlink};
  for (const auto& shape : communicator.shapes) {
    for (const auto& phase : shape.phases) {
      for (const std::uint32_t part : phase) {
        for (const auto& use : quotient.parts[part].uses) {
          fullest = std::max(fullest, {peak_loads[use.link], quotient.links[use.link].link.kind});
        }
      }
    }
  }
  return static_cast<std::uint8_t>(fullest.second);
}

void add(Split& split, Label label, double seconds) { split.labels[static_cast<std::size_t>(label)] += seconds; }

}  // namespace

WaitChain::WaitChain(const PlayedSteps& played) : played_(played) {
  std::vector<std::int64_t> peak_loads;
  for (std::uint32_t l = 0; l < played.quotient.links.size(); ++l) peak_loads.push_back(peak_load(played, l));
  for (const auto& communicator : played.quotient.communicators) {
    binding_link_.push_back(binding_kind(played.quotient, communicator, peak_loads));
  }
}

void WaitChain::charge(std::uint32_t released_by, double begin_s, double end_s, Split& split) const {
  while (end_s > begin_s) {
    if (released_by == kNone) {
      add(split, Label::host, end_s - begin_s);
      return;
    }
    const Span& span = played_.timeline.spans[released_by];
    const double from = std::min(std::max(begin_s, span.start_s), end_s);
    if (span.is_transfer) {
      charge_transfer(span, from, end_s, split);
    } else {
      charge_kernel(span, from, end_s, split);
    }
    end_s = from;
    released_by = span.released_by;
  }
}

void WaitChain::charge_transfer(const Span& span, double begin_s, double end_s, Split& split) const {
  const bool has_pipeline = played_.program.stages.size() > 1;
  const double noise_s = std::clamp(span.start_s + span.excess_s - begin_s, 0.0, end_s - begin_s);
  add(split, Label::straggler_wait, noise_s);
  const double seconds = end_s - begin_s - noise_s;
  add(split, exposed_label(played_.program.collectives[span.what].group, has_pipeline), seconds);
  split.exposed_by_link[binding_link_[span.actor]] += seconds;
}

void WaitChain::charge_kernel(const Span& span, double begin_s, double end_s, Split& split) const {
  const Activity activity = played_.program.works[span.what].activity;
  if (activity == Activity::host || activity == Activity::data_loading) {
    add(split, activity == Activity::host ? Label::host : Label::data_loading, end_s - begin_s);
    return;
  }
  // What the kernel takes beyond its nominal duration is its rank's slowness.
  const double nominal_end_s = std::min(span.end_s - span.excess_s, end_s);
  const double excess_s = end_s - std::max(nominal_end_s, begin_s);
  add(split, Label::straggler_wait, std::max(0.0, excess_s));
  add(split, Label::bubble, end_s - begin_s - std::max(0.0, excess_s));
}

}  // namespace trainsim
