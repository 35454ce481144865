#include "workloads/program_contents.hpp"

#include <algorithm>
#include <initializer_list>
#include <utility>
#include <variant>

namespace trainsim {
namespace {

// Index of the entry equal to `value`, appended when there is none.
template <class T>
std::uint32_t intern(std::vector<T>& entries, T value) {
  const auto found = std::find(entries.begin(), entries.end(), value);
  const auto position = static_cast<std::uint32_t>(found - entries.begin());
  if (found == entries.end()) entries.push_back(std::move(value));
  return position;
}

using Kernels = std::vector<Kernel>;

Kernels joined(std::initializer_list<const Kernels*> parts) {
  Kernels all;
  for (const Kernels* part : parts) all.insert(all.end(), part->begin(), part->end());
  return all;
}

// One of kTensorOverlapPieces of each product, cut along the tokens.
Kernels piece_of(Kernels products) {
  for (Kernel& kernel : products) std::get<MatMul>(kernel).m /= kTensorOverlapPieces;
  return products;
}

// What communication runs beside, and so which works a block is taken apart into.
struct Overlaps {
  bool gather = false;           // products in pieces beside the gather of their input,
  bool reduce = false;           // beside the reduction of their output
  bool weight_gradient = false;  // input gradient's reduction beside the weight gradient,
  bool data_gradient = false;    // saved input's gather beside the data gradient
};

Overlaps overlaps(const Plan& plan, const KernelPolicy& policy) {
  Overlaps result;
  if (plan.tensor == 1) return result;
  result.gather = plan.overlap.tensor && plan.sequence_parallel;
  result.reduce = plan.overlap.tensor;
  result.weight_gradient = policy.overlaps_weight_gradient;
  result.data_gradient = policy.overlaps_weight_gradient && plan.sequence_parallel;
  return result;
}

class BlockWorks {
 public:
  BlockWorks(std::string name, BlockKernels kernels, const Overlaps& overlaps, ContentTable& table)
      : name_(std::move(name)), kernels_(std::move(kernels)), overlaps_(overlaps), table_(table) {}

  BlockContents contents(RecomputeKind recompute) {
    BlockContents contents;
    contents.forward = forward("forward", Activity::forward);
    if (recompute == RecomputeKind::full) contents.full_recompute = forward("recompute", Activity::recompute);
    if (recompute == RecomputeKind::selective) {
      contents.selective_recompute = work("selective recompute", Activity::recompute, kernels_.selective);
    }
    add_backward(contents);
    return contents;
  }

 private:
  Content work(const std::string& what, Activity activity, Kernels kernels) {
    return table_.work(name_ + " " + what, activity, std::move(kernels));
  }

  ForwardContents forward(const std::string& what, Activity activity) {
    const Kernels none;
    ForwardContents contents;
    if (overlaps_.gather) {
      contents.lead = work(what + " lead", activity, kernels_.lead);
      contents.column_piece = work(what + " column piece", activity, piece_of(kernels_.column_product));
    }
    if (overlaps_.reduce) contents.row_piece = work(what + " row piece", activity, piece_of(kernels_.row_product));
    contents.middle =
        work(what, activity,
             joined({overlaps_.gather ? &none : &kernels_.lead, overlaps_.gather ? &none : &kernels_.column_product,
                     &kernels_.core, overlaps_.reduce ? &none : &kernels_.row_product}));
    return contents;
  }

  void add_backward(BlockContents& contents) {
    const Kernels none;
    if (overlaps_.gather) {
      contents.row_gradient_piece =
          work("row gradient piece", Activity::backward, piece_of(kernels_.row_data_gradient));
    }
    contents.backward = work("backward", Activity::backward,
                             joined({overlaps_.gather ? &none : &kernels_.row_data_gradient, &kernels_.backward,
                                     overlaps_.data_gradient ? &none : &kernels_.data_gradient,
                                     overlaps_.weight_gradient ? &none : &kernels_.weight_gradient}));
    if (overlaps_.data_gradient) {
      contents.data_gradient = work("data gradient", Activity::backward, kernels_.data_gradient);
    }
    if (overlaps_.weight_gradient) {
      contents.weight_gradient = work("weight gradient", Activity::backward, kernels_.weight_gradient);
    }
  }

  std::string name_;
  BlockKernels kernels_;
  Overlaps overlaps_;
  ContentTable& table_;
};

// The head's products stay whole: only layers are built for overlap in pieces.
BlockContents head_contents(const BlockKernels& kernels, Overlaps overlaps, ContentTable& table) {
  overlaps.gather = overlaps.reduce = false;
  return BlockWorks("head", kernels, overlaps, table).contents(RecomputeKind::none);
}

void add_tensor_collectives(PassContents& contents, const Model& model, const Plan& plan, ContentTable& table) {
  const auto gather = [&](double bytes) -> Content {
    if (!plan.sequence_parallel) return std::nullopt;
    return table.collective({"tensor all-gather", CollectiveKind::all_gather, Group::tensor, bytes}, plan.tensor);
  };
  const auto reduce = [&](double bytes) {
    const Collective scatter{"tensor reduce-scatter", CollectiveKind::reduce_scatter, Group::tensor, bytes};
    const Collective all{"tensor all-reduce", CollectiveKind::all_reduce, Group::tensor, bytes};
    return table.collective(plan.sequence_parallel ? scatter : all, plan.tensor);
  };
  const double hidden = hidden_bytes(model, plan);
  contents.gather = gather(hidden);
  contents.reduce = reduce(hidden);
  contents.pieces = plan.overlap.tensor && plan.tensor > 1 ? kTensorOverlapPieces : 1;
  contents.gather_piece = gather(hidden / contents.pieces);
  contents.reduce_piece = reduce(hidden / contents.pieces);
  // The vocabulary-parallel loss combines maximum, own logit and sum of exponentials of each token, in fp32.
  contents.loss_all_reduce = table.collective(
      {"loss all-reduce", CollectiveKind::all_reduce, Group::tensor, 3 * 4 * tokens_per_micro_batch(plan)},
      plan.tensor);
}

void add_sends(PassContents& contents, const Model& model, const Plan& plan, const KernelPolicy& policy,
               ContentTable& table) {
  const double hidden = hidden_bytes(model, plan);
  const bool sends_shares = plan.sequence_parallel || policy.scatter_gather_pipeline;
  const double message = sends_shares ? hidden / static_cast<double>(plan.tensor) : hidden;
  contents.send_forward =
      table.collective({"activation send", CollectiveKind::send, Group::pipeline_forward, message}, plan.pipeline);
  contents.send_backward =
      table.collective({"gradient send", CollectiveKind::send, Group::pipeline_backward, message}, plan.pipeline);
  if (plan.pipeline > 1 && policy.scatter_gather_pipeline && !plan.sequence_parallel) {
    contents.receive_gather =
        table.collective({"tensor all-gather", CollectiveKind::all_gather, Group::tensor, hidden}, plan.tensor);
  }
}

}  // namespace

Content ContentTable::work(std::string name, Activity activity, std::vector<Kernel> kernels) {
  if (kernels.empty()) return std::nullopt;
  return intern(program_.works, Work{std::move(name), activity, std::move(kernels)});
}

Content ContentTable::collective(Collective collective, std::int64_t ranks) {
  if (ranks <= 1) return std::nullopt;
  return intern(program_.collectives, std::move(collective));
}

PassContents pass_contents(const Model& model, const Plan& plan, const KernelPolicy& policy, ContentTable& table) {
  const Overlaps beside = overlaps(plan, policy);
  PassContents contents;
  contents.attention =
      BlockWorks("attention", attention_block(model, plan, policy), beside, table).contents(plan.recompute);
  contents.mlp = BlockWorks("mlp", mlp_block(model, plan, policy), beside, table).contents(plan.recompute);
  contents.head = head_contents(head_block(model, plan, policy), beside, table);
  const EmbeddingKernels embedding = embedding_kernels(model, plan, policy);
  contents.embedding_forward = table.work("embedding forward", Activity::forward, embedding.forward);
  contents.embedding_backward = table.work("embedding backward", Activity::backward, embedding.backward);
  if (policy.host_s_per_micro_batch > 0) {
    contents.host_micro_batch =
        table.work("host per micro-batch", Activity::host, {HostTime{policy.host_s_per_micro_batch}});
  }
  add_tensor_collectives(contents, model, plan, table);
  contents.overlaps_weight_gradient = beside.weight_gradient;
  add_sends(contents, model, plan, policy, table);
  return contents;
}

}  // namespace trainsim
