// training: batch, sequence, precision and optimizer.
#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <optional>

#include "scenarios/validation/row_sections.hpp"

namespace trainsim {
namespace {

using nlohmann::ordered_json;

std::string lowercase(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::optional<std::int64_t> micro_batch_of_stages(const TrainingRow& row) {
  const auto batch = row.count("global_batch"), data = row.count("dp"), stages = row.count("pp");
  if (!row.assumptions().micro_batches_as_stages || !batch || !data || stages.value_or(1) == 1) return std::nullopt;
  return std::max<std::int64_t>(1, *batch / (*data * *stages));
}

std::int64_t micro_batch(const TrainingRow& row, std::optional<std::int64_t> tuned, RowFindings& findings) {
  if (const auto cut = micro_batch_of_stages(row)) {
    findings.assume(fmt::format("micro-batch {}: as many micro-batches as stages", *cut));
    return *cut;
  }
  if (const auto given = row.count("micro_batch")) return *given;
  if (row.has("micro_batch")) {
    findings.lack(fmt::format("a micro-batch of whole sequences (micro_batch is {})", row.text("micro_batch")));
  } else if (tuned) {
    findings.assume(fmt::format("micro-batch {}: not published, the fastest that fits", *tuned));
    return *tuned;
  } else if (const auto assumed = row.assumptions().micro_batch) {
    findings.assume(fmt::format("micro-batch {}: not published", *assumed));
    return *assumed;
  } else {
    findings.lack("micro-batch (micro_batch)");
  }
  return 1;
}

void check_batch(const TrainingRow& row, RowFindings& findings) {
  const auto batch = row.number("global_batch"), micro = row.number("micro_batch"), steps = row.number("grad_accum"),
             data = row.number("dp");
  if (!batch || !micro || !steps || !data) return;
  const double product = *micro * *steps * *data;
  if (std::abs(product - *batch) < 1e-6) return;
  findings.lack(
      fmt::format("one global batch (micro_batch x grad_accum x dp is {}, global_batch {})", product, *batch));
}

struct Precision {
  std::string_view printed;  // what the lower-case cell begins with
  std::string_view format;
};

// The longer ones first.
constexpr std::array<Precision, 9> kPrecisions = {{{"mxfp8", "mxfp8"},
                                                   {"fp8-mx", "mxfp8"},
                                                   {"nvfp4", "nvfp4"},
                                                   {"amp_fp8", "fp8"},
                                                   {"fp8", "fp8"},
                                                   {"float8", "fp8"},
                                                   {"amp_bf16", "bf16"},
                                                   {"bf16", "bf16"},
                                                   {"fp16", "fp16"}}};

std::string precision(const TrainingRow& row, RowFindings& findings) {
  const std::string printed = lowercase(row.text("precision"));
  if (printed.empty() && !row.assumptions().precision.empty()) {
    findings.assume(row.assumptions().precision + ", as the other entries of its source");
    return row.assumptions().precision;
  }
  const auto known =
      std::ranges::find_if(kPrecisions, [&](const Precision& entry) { return printed.starts_with(entry.printed); });
  if (known != kPrecisions.end()) return std::string(known->format);
  findings.lack("precision");
  return "bf16";
}

}  // namespace

ordered_json training_section(const TrainingRow& row, std::optional<std::int64_t> tuned_micro_batch,
                              RowFindings& findings) {
  check_batch(row, findings);
  ordered_json training;
  training["global_batch_size"] = findings.require(row, "global_batch", "global batch (global_batch)");
  training["micro_batch_size"] = micro_batch(row, tuned_micro_batch, findings);
  training["sequence_length"] = findings.require(row, "seq_len", "sequence length (seq_len)");
  const std::string format = precision(row, findings);
  training["precision"] = format;
  if (format == "fp8") {
    training["scaling"] = row.assumptions().fp8_scaling;
    if (row.mentions("precision", "all-gather") || (is_lora(row) && row.assumptions().frozen_weights_in_fp8)) {
      training["low_precision_weights"] = true;
    }
  }
  training["optimizer"] = lowercase(row.text("optimizer")).find("adamw") == std::string::npos ? "adam" : "adamw";
  const std::string reduced = row.text("grad_reduce_dtype").substr(0, 4);
  if (reduced == "fp32" || reduced == "bf16") training["grad_dtype"] = reduced;
  return training;
}

}  // namespace trainsim
