// software: the stack that each source ran.
#include <fmt/format.h>
#include <algorithm>
#include <array>

#include "tests/validation/row_sections.hpp"

namespace trainsim {
namespace {

struct SourceStack {
  std::string_view source;  // what source_id begins with
  std::string_view stack;
};

constexpr std::array<SourceStack, 11> kStacks = {{{"megatron_sc21", "megatron-2021"},
                                                  {"vtrain_", "megatron-2021"},
                                                  {"korthikanti22", "megatron-2022"},
                                                  {"mosaic_llmfoundry", "llm-foundry"},
                                                  {"nemo_mbridge", "megatron-core"},
                                                  {"mcore_", "megatron-core"},
                                                  {"torchtitan", "torchtitan"},
                                                  {"fsdp_paper", "pytorch-fsdp"},
                                                  {"llama3_herd", "llama3"},
                                                  {"hf_ultrascale", "nanotron"},
                                                  {"mlperf_", "nemo-mlperf"}}};

}  // namespace

nlohmann::ordered_json software_section(const TrainingRow& row, RowFindings& findings) {
  if (row.is_from("mlperf_") && row.mentions("gpu", "AMD")) return {{"stack", "rocm-megatron"}};
  const auto known = std::ranges::find_if(kStacks, [&](const SourceStack& entry) { return row.is_from(entry.source); });
  if (known != kStacks.end()) return {{"stack", known->stack}};
  findings.lack(fmt::format("software stack (source {})", row.source()));
  return {};
}

}  // namespace trainsim
