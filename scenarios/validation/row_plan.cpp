// parallelism: degrees, schedule, sharding, recomputation and overlap.
#include <fmt/format.h>
#include <optional>
#include <vector>

#include "scenarios/validation/row_sections.hpp"

namespace trainsim {
namespace {

using nlohmann::ordered_json;

bool is_interleaved(const TrainingRow& row) {
  return row.mentions("pp_schedule", "interleaved") || row.mentions("pp_schedule", "Interleaved");
}

// The fewest chunks above one that cut a stage into equal ones.
std::int64_t fewest_chunks(std::int64_t layers_per_stage) {
  for (std::int64_t chunks = 2; chunks < layers_per_stage; ++chunks) {
    if (layers_per_stage % chunks == 0) return chunks;
  }
  return layers_per_stage;
}

std::int64_t virtual_stages(const TrainingRow& row, std::int64_t stages, RowFindings& findings) {
  if (stages == 1) return 1;
  if (const auto given = row.count("vp")) return *given;
  if (!is_interleaved(row)) return 1;
  const std::int64_t layers = row.count("n_layers").value_or(stages);
  const std::int64_t chunks = row.assumptions().virtual_stages.value_or(fewest_chunks(layers / stages));
  findings.assume(fmt::format("{} chunks per stage: interleaved, the number is not published", chunks));
  return chunks;
}

// Layers of each stage when a stage takes blocks until their cumulated cost reaches its even share, the one that does
// included. The head is the last block.
std::vector<std::int64_t> layers_by_cost(std::int64_t layers, std::int64_t stages, double head_in_layers) {
  const double total = static_cast<double>(layers) + head_in_layers;
  std::vector<std::int64_t> result(static_cast<std::size_t>(stages), 0);
  std::size_t stage = 0;
  for (std::int64_t layer = 1; layer <= layers; ++layer) {
    ++result[stage];
    const double share = total * static_cast<double>(stage + 1) / static_cast<double>(stages);
    if (stage + 1 < result.size() && static_cast<double>(layer) >= share) ++stage;
  }
  return result;
}

// nullopt where the row does not print the sizes, or stages have several chunks.
std::optional<std::vector<std::int64_t>> layers_per_stage(const TrainingRow& row, std::int64_t stages) {
  const auto layers = row.count("n_layers"), hidden = row.count("hidden"), inner = row.count("ffn_hidden"),
             vocabulary = row.count("vocab");
  if (!row.assumptions().cuts_stages_by_parameters || stages == 1 || row.count("vp").value_or(1) > 1) return {};
  if (!layers || !hidden || !inner || !vocabulary) return {};
  const auto layer_cost = static_cast<double>(4 * *hidden + 3 * *inner);
  return layers_by_cost(*layers, stages, static_cast<double>(*vocabulary) / layer_cost);
}

// FSDP keeps weights sharded between passes, SHARD_GRAD_OP gathers once for both. Stage 2 elsewhere is an optimizer
// that shards gradients too.
ordered_json sharding(const TrainingRow& row, std::int64_t stages, RowFindings& findings) {
  const std::string& stage = row.text("zero_stage");
  const bool keeps_weights =
      row.mentions("shard_strategy", "SHARD_GRAD_OP") || (row.assumptions().keeps_weights_in_pipelines && stages > 1);
  if (keeps_weights) return {{"kind", "full"}, {"reshard_after_forward", false}};
  if (stage == "3") return "full";
  if (stage == "2") return "gradients";
  if (stage == "1") return "optimizer";
  if (stage == "0") return "none";
  findings.assume("optimizer state sharded over the data ranks");
  return "optimizer";
}

std::string recompute(const TrainingRow& row, RowFindings& findings) {
  const std::string& cell = row.text("recompute");
  if (cell.starts_with("full")) return "full";
  if (cell.starts_with("selective")) return "selective";
  if (cell.empty()) findings.assume("no recomputation");
  return "none";
}

// Split matrix products beside tensor-parallel collectives: a flag, a configuration file or AsyncTP says so.
bool overlaps_tensor(const TrainingRow& row) {
  const std::string& flag = row.text("tp_comm_overlap");
  return flag == "True" || flag == "1" || row.mentions("seq_parallel", "tp-comm-overlap") ||
         row.mentions("compile_fused", "AsyncTP") || row.assumptions().overlaps_tensor;
}

void check_degrees(const ordered_json& plan, const TrainingRow& row, RowFindings& findings) {
  const auto gpus = row.count("n_gpus");
  if (!gpus || !plan.contains("data")) return;
  std::int64_t product = 1;
  for (const char* axis : {"tensor", "context", "pipeline", "data"}) product *= plan[axis].get<std::int64_t>();
  if (product == *gpus) return;
  findings.lack(fmt::format("degrees that multiply out (tp x cp x pp x dp is {}, n_gpus {})", product, *gpus));
}

}  // namespace

ordered_json parallelism_section(const TrainingRow& row, RowFindings& findings) {
  if (!row.count("tp") || !row.count("pp")) {
    findings.lack("parallel plan (tp, pp)");
    return {};
  }
  ordered_json plan;
  const std::int64_t tensor = *row.count("tp"), stages = *row.count("pp");
  plan["tensor"] = tensor;
  if (tensor > 1) plan["sequence_parallel"] = row.text("seq_parallel").starts_with('y');
  plan["context"] = row.count("cp").value_or(1);
  plan["pipeline"] = stages;
  plan["virtual_stages"] = virtual_stages(row, stages, findings);
  if (const auto layers = layers_per_stage(row, stages)) plan["layers_per_stage"] = *layers;
  if (row.has("moe_experts")) plan["expert"] = row.count("ep").value_or(1);
  if (const auto data = row.count("dp")) plan["data"] = *data;
  plan["sharding"] = sharding(row, stages, findings);
  plan["recompute"] = recompute(row, findings);
  if (!row.assumptions().order.empty()) plan["order"] = row.assumptions().order;
  if (tensor > 1 && overlaps_tensor(row)) plan["overlap"] = {{"tensor", true}};
  check_degrees(plan, row, findings);
  return plan;
}

}  // namespace trainsim
