#include "workloads/program_contents.hpp"

#include <algorithm>
#include <utility>

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

std::vector<Kernel> joined(const std::vector<Kernel>& first, const std::vector<Kernel>& second) {
  std::vector<Kernel> all = first;
  all.insert(all.end(), second.begin(), second.end());
  return all;
}

// How far a block's backward work is taken apart for communication to run beside it.
enum class Split : std::uint8_t { none, weight_gradient, both_gradients };

Split backward_split(const Plan& plan, const KernelPolicy& policy) {
  if (plan.tensor == 1 || !policy.overlaps_weight_gradient) return Split::none;
  return plan.sequence_parallel ? Split::both_gradients : Split::weight_gradient;
}

BlockContents block_contents(const std::string& name, const BlockKernels& kernels, Split split, ContentTable& table) {
  BlockContents contents;
  contents.forward = table.work(name + " forward", Activity::forward, kernels.forward);
  std::vector<Kernel> backward = kernels.backward;
  if (split == Split::both_gradients) {
    contents.data_gradient = table.work(name + " data gradient", Activity::backward, kernels.data_gradient);
  } else {
    backward = joined(backward, kernels.data_gradient);
  }
  if (split == Split::none) {
    backward = joined(backward, kernels.weight_gradient);
  } else {
    contents.weight_gradient = table.work(name + " weight gradient", Activity::backward, kernels.weight_gradient);
  }
  contents.backward = table.work(name + " backward", Activity::backward, backward);
  return contents;
}

void add_recomputation(BlockContents& contents, const std::string& name, const BlockKernels& kernels,
                       RecomputeKind recompute, ContentTable& table) {
  if (recompute == RecomputeKind::full) {
    contents.recompute = table.work(name + " recompute", Activity::recompute, kernels.forward);
  } else if (recompute == RecomputeKind::selective) {
    contents.recompute = table.work(name + " selective recompute", Activity::recompute, kernels.selective);
  }
}

void add_tensor_collectives(PassContents& contents, const Model& model, const Plan& plan, ContentTable& table) {
  const double hidden = hidden_bytes(model, plan);
  if (plan.sequence_parallel) {
    contents.gather = table.collective(
        {"tensor all-gather", CollectiveKind::all_gather, Group::tensor, hidden}, plan.tensor);
    contents.reduce = table.collective(
        {"tensor reduce-scatter", CollectiveKind::reduce_scatter, Group::tensor, hidden}, plan.tensor);
  } else {
    contents.reduce = table.collective(
        {"tensor all-reduce", CollectiveKind::all_reduce, Group::tensor, hidden}, plan.tensor);
  }
  // The vocabulary-parallel loss combines maximum, own logit and sum of exponentials of each token, in fp32.
  contents.loss_all_reduce = table.collective(
      {"loss all-reduce", CollectiveKind::all_reduce, Group::tensor, 3 * 4 * tokens_per_micro_batch(plan)}, plan.tensor);
}

void add_sends(PassContents& contents, const Model& model, const Plan& plan, const KernelPolicy& policy,
               ContentTable& table) {
  const double hidden = hidden_bytes(model, plan);
  const bool sends_shares = plan.sequence_parallel || policy.scatter_gather_pipeline;
  const double message = sends_shares ? hidden / static_cast<double>(plan.tensor) : hidden;
  contents.send_forward = table.collective(
      {"activation send", CollectiveKind::send, Group::pipeline_forward, message}, plan.pipeline);
  contents.send_backward = table.collective(
      {"gradient send", CollectiveKind::send, Group::pipeline_backward, message}, plan.pipeline);
  if (plan.pipeline > 1 && policy.scatter_gather_pipeline && !plan.sequence_parallel) {
    contents.receive_gather = table.collective(
        {"tensor all-gather", CollectiveKind::all_gather, Group::tensor, hidden}, plan.tensor);
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
  const Split split = backward_split(plan, policy);
  PassContents contents;
  const BlockKernels attention = attention_block(model, plan, policy);
  const BlockKernels mlp = mlp_block(model, plan, policy);
  contents.attention = block_contents("attention", attention, split, table);
  contents.mlp = block_contents("mlp", mlp, split, table);
  contents.head = block_contents("head", head_block(model, plan, policy), split, table);
  add_recomputation(contents.attention, "attention", attention, plan.recompute, table);
  add_recomputation(contents.mlp, "mlp", mlp, plan.recompute, table);
  const EmbeddingKernels embedding = embedding_kernels(model, plan, policy);
  contents.embedding_forward = table.work("embedding forward", Activity::forward, embedding.forward);
  contents.embedding_backward = table.work("embedding backward", Activity::backward, embedding.backward);
  if (policy.host_s_per_micro_batch > 0) {
    contents.host_micro_batch =
        table.work("host per micro-batch", Activity::host, {HostTime{policy.host_s_per_micro_batch}});
  }
  add_tensor_collectives(contents, model, plan, table);
  contents.overlaps_weight_gradient = split != Split::none;
  add_sends(contents, model, plan, policy, table);
  return contents;
}

}  // namespace trainsim
