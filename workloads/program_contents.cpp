#include "workloads/program_contents.hpp"

#include <algorithm>
#include <utility>

#include "workloads/block_works.hpp"
#include "workloads/expert_block.hpp"

namespace trainsim {
namespace {

constexpr double kFp32Bytes = 4;

// Index of the entry equal to `value`, appended when there is none.
template <class T>
std::uint32_t intern(std::vector<T>& entries, T value) {
  const auto found = std::find(entries.begin(), entries.end(), value);
  const auto position = static_cast<std::uint32_t>(found - entries.begin());
  if (found == entries.end()) entries.push_back(std::move(value));
  return position;
}

Overlaps overlaps(const Plan& plan, const KernelPolicy& policy) {
  Overlaps result;
  if (plan.tensor == 1) return result;
  result.gather = plan.overlap.tensor && plan.sequence_parallel;
  result.reduce = plan.overlap.tensor;
  result.weight_gradient = policy.overlaps_weight_gradient;
  result.data_gradient = policy.overlaps_weight_gradient && plan.sequence_parallel;
  return result;
}

ContextExchange context_exchange(const Model& model, const Plan& plan, ContentTable& table) {
  ContextExchange exchange;
  const auto add = [&](const char* name, CollectiveKind kind, double bytes) {
    return table.collective({name, kind, Group::context, bytes});
  };
  const double keys_and_values = key_value_bytes(model, plan);
  if (plan.context_kind == ContextKind::ring) {
    exchange.forward = add("key and value shift", CollectiveKind::ring_shift, keys_and_values);
    exchange.backward = add("key, value and gradient shift", CollectiveKind::ring_shift, 2 * keys_and_values);
    return exchange;
  }
  const double queries = query_bytes(model, plan);
  const double attended = queries * static_cast<double>(model.v_dim()) / static_cast<double>(model.qk_dim());
  exchange.enter = add("heads for positions", CollectiveKind::all_to_all, queries + keys_and_values);
  exchange.leave = add("positions for heads", CollectiveKind::all_to_all, attended);
  return exchange;
}

// The head's products stay whole: only layers are built for overlap in pieces.
BlockContents head_contents(const BlockKernels& kernels, Overlaps overlaps, ContentTable& table) {
  overlaps.gather = overlaps.reduce = false;
  return block_contents("head", kernels, overlaps, {}, RecomputeKind::none, table);
}

void add_tensor_collectives(PassContents& contents, const Model& model, const Plan& plan, ContentTable& table) {
  const auto gather = [&](double bytes) -> Content {
    if (!plan.sequence_parallel) return std::nullopt;
    return table.collective({"tensor all-gather", CollectiveKind::all_gather, Group::tensor, bytes});
  };
  const auto reduce = [&](double bytes) {
    const Collective scatter{"tensor reduce-scatter", CollectiveKind::reduce_scatter, Group::tensor, bytes};
    const Collective all{"tensor all-reduce", CollectiveKind::all_reduce, Group::tensor, bytes};
    return table.collective(plan.sequence_parallel ? scatter : all);
  };
  const double hidden = hidden_bytes(model, plan);
  contents.gather = gather(hidden);
  contents.reduce = reduce(hidden);
  contents.pieces = plan.overlap.tensor && plan.tensor > 1 ? kTensorOverlapPieces : 1;
  contents.gather_piece = gather(hidden / contents.pieces);
  contents.reduce_piece = reduce(hidden / contents.pieces);
  // The vocabulary-parallel loss combines maximum, own logit and sum of exponentials of each token, in fp32.
  contents.loss_all_reduce = table.collective(
      {"loss all-reduce", CollectiveKind::all_reduce, Group::tensor, 3 * kFp32Bytes * tokens_per_micro_batch(plan)});
}

// The steps of a block of experts. Tokens go to their experts and come back; ranks that share an expert first gather
// each other's tokens, then add up their parts of the results. Backward goes the same way with gradients.
class ExpertSteps {
 public:
  ExpertSteps(const Model& model, const Plan& plan, const ExpertKernels& kernels, const PassContents& contents,
              ContentTable& table)
      : kernels_(kernels), contents_(contents), table_(table) {
    const double bytes = dispatched_bytes(model, plan);
    const double gathered = bytes * static_cast<double>(plan.expert_tensor);
    dispatch_ = table.collective({"token dispatch", CollectiveKind::all_to_all, Group::expert, bytes});
    combine_ = table.collective({"token combine", CollectiveKind::all_to_all, Group::expert, bytes});
    gather_ = table.collective({"token all-gather", CollectiveKind::all_gather, Group::expert_tensor, gathered});
    scatter_ =
        table.collective({"token reduce-scatter", CollectiveKind::reduce_scatter, Group::expert_tensor, gathered});
  }

  std::vector<Step> forward(const std::string& what, Activity activity) {
    std::vector<Step> steps = {work(what + " lead", activity, kernels_.lead)};
    add_shared(steps, work(what + " shared", activity, kernels_.shared));
    add_exchanged(steps, work(what, activity, kernels_.experts));
    steps.push_back(work(what + " finish", activity, kernels_.finish));
    return steps;
  }

  std::vector<Step> backward() {
    const Activity activity = Activity::backward;
    std::vector<Step> steps = {work("backward finish", activity, kernels_.finish_backward)};
    add_exchanged(steps, work("backward", activity, kernels_.experts_backward));
    if (!kernels_.shared_backward.empty()) steps.push_back({contents_.gather, Stream::tensor_comm});  // of the gradient
    add_shared(steps, work("backward shared", activity, kernels_.shared_backward));
    steps.push_back(work("backward lead", activity, kernels_.lead_backward));
    return steps;
  }

 private:
  Step work(const std::string& what, Activity activity, Kernels kernels) {
    return {table_.work("experts " + what, activity, std::move(kernels))};
  }

  void add_shared(std::vector<Step>& steps, Step shared) const {
    if (!shared.what) return;
    steps.push_back({contents_.gather, Stream::tensor_comm});
    steps.push_back(shared);
    steps.push_back({contents_.reduce, Stream::tensor_comm});
  }

  void add_exchanged(std::vector<Step>& steps, Step experts) const {
    steps.push_back({dispatch_, Stream::expert_comm});
    steps.push_back({gather_, Stream::expert_comm});
    steps.push_back(experts);
    steps.push_back({scatter_, Stream::expert_comm});
    steps.push_back({combine_, Stream::expert_comm});
  }

  const ExpertKernels& kernels_;
  const PassContents& contents_;
  ContentTable& table_;
  Content dispatch_, combine_, gather_, scatter_;
};

// REQUIRES: the tensor collectives of `contents`.
void add_experts(PassContents& contents, const Model& model, const Plan& plan, const KernelPolicy& policy,
                 ContentTable& table) {
  if (!model.experts) return;
  const ExpertKernels kernels = expert_block(model, plan, policy);
  ExpertSteps steps(model, plan, kernels, contents, table);
  contents.experts.forward = steps.forward("forward", Activity::forward);
  if (plan.recompute == RecomputeKind::full) {
    contents.experts.full_recompute = steps.forward("recompute", Activity::recompute);
  }
  contents.experts.backward = steps.backward();
}

void add_sends(PassContents& contents, const Model& model, const Plan& plan, const KernelPolicy& policy,
               ContentTable& table) {
  const double hidden = hidden_bytes(model, plan);
  const bool sends_shares = plan.sequence_parallel || policy.scatter_gather_pipeline;
  const double message = sends_shares ? hidden / static_cast<double>(plan.tensor) : hidden;
  contents.send_forward = table.collective({"activation send", CollectiveKind::send, Group::pipeline_forward, message});
  contents.send_backward = table.collective({"gradient send", CollectiveKind::send, Group::pipeline_backward, message});
  if (plan.pipeline > 1 && policy.scatter_gather_pipeline && !plan.sequence_parallel) {
    contents.receive_gather =
        table.collective({"tensor all-gather", CollectiveKind::all_gather, Group::tensor, hidden});
  }
}

}  // namespace

Content ContentTable::work(std::string name, Activity activity, std::vector<Kernel> kernels) {
  if (kernels.empty()) return std::nullopt;
  return intern(program_.works, Work{std::move(name), activity, std::move(kernels)});
}

Content ContentTable::collective(Collective collective) {
  if (group_size(collective.group, plan_) <= 1) return std::nullopt;
  return intern(program_.collectives, std::move(collective));
}

PassContents pass_contents(const Model& model, const Plan& plan, const KernelPolicy& policy, ContentTable& table) {
  const Overlaps beside = overlaps(plan, policy);
  const ContextExchange exchange = context_exchange(model, plan, table);
  PassContents contents;
  for (const bool is_windowed : {false, true}) {
    if (is_windowed && model.window == 0) continue;
    const BlockKernels kernels = attention_block(model, {.is_windowed = is_windowed}, plan, policy);
    const char* name = is_windowed ? "windowed attention" : "attention";
    contents.attention_blocks[is_windowed ? 1 : 0] =
        block_contents(name, kernels, beside, exchange, plan.recompute, table);
  }
  contents.mlp = block_contents("mlp", mlp_block(model, plan, policy), beside, {}, plan.recompute, table);
  contents.head = head_contents(head_block(model, plan, policy), beside, table);
  const EmbeddingKernels embedding = embedding_kernels(model, plan, policy);
  contents.embedding_forward = table.work("embedding forward", Activity::forward, embedding.forward);
  contents.embedding_backward = table.work("embedding backward", Activity::backward, embedding.backward);
  add_tensor_collectives(contents, model, plan, table);
  add_experts(contents, model, plan, policy, table);
  contents.overlaps_weight_gradient = beside.weight_gradient;
  add_sends(contents, model, plan, policy, table);
  return contents;
}

}  // namespace trainsim
