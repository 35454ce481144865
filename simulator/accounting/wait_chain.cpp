#include "simulator/accounting/wait_chain.hpp"

#include <algorithm>

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

// The kind of link with the most seconds per byte, over all parts of the communicator.
std::uint8_t binding_kind(const Quotient& quotient, const Quotient::CommunicatorClass& communicator) {
  double most = -1.0;
  LinkKind kind = LinkKind::nvlink;
  for (const auto& shape : communicator.shapes) {
    for (const auto& phase : shape.phases) {
      for (const std::uint32_t part : phase) {
        for (const auto& use : quotient.parts[part].uses) {
          const auto& link = quotient.links[use.link].link;
          const double s_per_byte = static_cast<double>(use.n) * quotient.parts[part].bytes / link.capacity_bytes_per_s;
          if (s_per_byte <= most) continue;
          most = s_per_byte;
          kind = link.kind;
        }
      }
    }
  }
  return static_cast<std::uint8_t>(kind);
}

void add(Split& split, Label label, double seconds) { split.labels[static_cast<std::size_t>(label)] += seconds; }

}  // namespace

WaitChain::WaitChain(const PlayedSteps& played) : played_(played) {
  for (const auto& communicator : played.quotient.communicators) {
    binding_link_.push_back(binding_kind(played.quotient, communicator));
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
      charge_transfer(span, end_s - from, split);
    } else {
      charge_kernel(span, from, end_s, split);
    }
    end_s = from;
    released_by = span.released_by;
  }
}

void WaitChain::charge_transfer(const Span& span, double seconds, Split& split) const {
  const bool has_pipeline = played_.program.stages.size() > 1;
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
  const double nominal_end_s = std::min(span.start_s + played_.work_s[span.what], end_s);
  const double excess_s = end_s - std::max(nominal_end_s, begin_s);
  add(split, Label::straggler_wait, std::max(0.0, excess_s));
  add(split, Label::bubble, end_s - begin_s - std::max(0.0, excess_s));
}

}  // namespace trainsim
