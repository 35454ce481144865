#include "scenarios/report/table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "scenarios/report/figures.hpp"
#include "simulator/accounting/accounting.hpp"

namespace trainsim {
namespace {

constexpr std::size_t kWidth = 100;
constexpr std::size_t kIndent = 2;

// What each of kLabelNames means.
constexpr std::array<std::string_view, kLabelNames.size()> kTimeMeanings = {"forward and backward kernels",
                                                                            "forward kernels run a second time",
                                                                            "the weight update",
                                                                            "waiting for tensor-parallel transfers",
                                                                            "waiting for context-parallel transfers",
                                                                            "waiting for expert-parallel transfers",
                                                                            "waiting for data-parallel transfers",
                                                                            "waiting for pipeline transfers",
                                                                            "waiting for kernels of other ranks",
                                                                            "waiting for the data loader",
                                                                            "waiting for offload copies",
                                                                            "waiting for slower GPUs",
                                                                            "launch gaps and framework work"};

enum class Ink { bold, good, bad };

// The page under construction.
class Page {
 public:
  explicit Page(TableStyle style) : style_(style) {}

  void heading(std::string_view text) { out_ += "\n" + inked(Ink::bold, text) + "\n"; }
  void line(std::string_view text) { out_ += fmt::format("  {}\n", text); }
  void field(std::string_view name, std::string_view value) { line(fmt::format("{:<20}{}", name, value)); }
  void paragraph(std::string_view text) { out_ += wrapped(printable(text), kWidth, kIndent); }
  void raw(std::string_view text) { out_ += text; }

  [[nodiscard]] std::string inked(Ink ink, std::string_view text) const {
    if (!style_.has_colour) return std::string(text);
    constexpr std::array<std::string_view, 3> kCodes = {"1", "1;32", "1;31"};
    return fmt::format("\x1b[{}m{}\x1b[0m", kCodes[static_cast<std::size_t>(ink)], text);
  }
  [[nodiscard]] std::string text() && { return std::move(out_); }

 private:
  TableStyle style_;
  std::string out_;
};

std::array<std::pair<std::string_view, double>, 6> named_parts(const MemoryParts& parts) {
  return {{{"weights", parts.weights_bytes},
           {"gradients", parts.gradients_bytes},
           {"optimizer", parts.optimizer_bytes},
           {"activations", parts.activations_bytes},
           {"buffers", parts.buffers_bytes},
           {"framework", parts.framework_bytes}}};
}

// "8 layers per stage" or "layers per stage 7, 8 x10, 7". With virtual stages the list has an entry per chunk.
std::string layers_text(const Result::PlanFacts& plan) {
  const std::vector<std::int64_t>& layers = plan.layers_per_stage;
  const bool is_by_stage = static_cast<std::int64_t>(layers.size()) == plan.pipeline;
  const std::string place = is_by_stage ? "per stage" : fmt::format("in each of {} chunks", layers.size());
  const bool is_uniform =
      std::all_of(layers.begin(), layers.end(), [&](std::int64_t n) { return n == layers.front(); });
  if (is_uniform && !layers.empty()) return fmt::format("{} {}", counted(layers.front(), "layer"), place);
  return fmt::format("layers {} {}", place, runs(layers));
}

void write_title(Page& page, const Result& result) {
  const auto& cluster = result.cluster;
  const auto& plan = result.plan;
  const std::string model = result.model.name.empty() ? std::string("a transformer") : result.model.name;
  page.raw(page.inked(Ink::bold, printable(result.scenario)) + "\n");
  page.paragraph(fmt::format("{} ({} parameters) on {} {} in {}", model, scaled_count(result.model.parameters),
                             grouped(cluster.gpus), cluster.accelerator, counted(cluster.nodes, "node")));
  std::string degrees = fmt::format("tensor {}, pipeline {}, data {}", plan.tensor, plan.pipeline, plan.data);
  if (plan.context > 1) degrees += fmt::format(", context {}", plan.context);
  if (plan.expert > 1) degrees += fmt::format(", expert {}", plan.expert);
  page.paragraph(
      fmt::format("{}; {} per step; {}", degrees, counted(plan.micro_batches, "micro-batch"), layers_text(plan)));
}

void write_memory(Page& page, const Result::Memory& memory) {
  const MemoryParts& peak = memory.by_stage.at(memory.peak_stage);
  const double total = peak.total_bytes();
  const auto parts = named_parts(peak);
  const auto* largest =
      std::max_element(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  const std::string where =
      memory.by_stage.size() > 1 ? fmt::format("a GPU of the fullest stage ({})", memory.peak_stage) : "each GPU";
  const double spare = memory.capacity_bytes - total;
  page.raw("\n" + (memory.fits ? page.inked(Ink::good, "FITS") : page.inked(Ink::bad, "DOES NOT FIT")));
  page.raw(fmt::format(": {} needs {} of its {}, {} {}\n", where, gibibytes(total), gibibytes(memory.capacity_bytes),
                       gibibytes(std::abs(spare)), memory.fits ? "to spare" : "too much"));
  for (const auto& [name, bytes] : parts) {
    if (bytes <= 0.0) continue;
    const std::string share = fmt::format("{:>10}  {:>7}", gibibytes(bytes), percent(bytes / total));
    page.field(name, &name == &largest->first ? share + "  the largest part" : share);
  }
  page.field("micro-batch", memory.largest_micro_batch > 0
                                ? fmt::format("up to {} would fit", counted(memory.largest_micro_batch, "sequence"))
                                : std::string("not even one sequence would fit"));
}

void write_step(Page& page, const Result::Step& step) {
  page.heading("STEP");
  page.field("time",
             fmt::format("{}  (mean of {})", duration(step.time_s), counted(step.measured_steps, "measured step")));
  page.field("90 % interval", fmt::format("{} to {}", duration(step.interval.low_s), duration(step.interval.high_s)));
  page.field("throughput", fmt::format("{} tokens/s, {} tokens/s per GPU, {} samples/s", significant(step.tokens_per_s),
                                       significant(step.tokens_per_s_per_gpu), significant(step.samples_per_s)));
  const std::string peak = fmt::format("of the peak {} TFLOP/s", significant(step.peak_tflops));
  page.field("model FLOPs", fmt::format("{} TFLOP/s per GPU, MFU {} {}", significant(step.model_tflops_per_gpu),
                                        percent(step.mfu), peak));
  page.field("hardware FLOPs", fmt::format("{} TFLOP/s per GPU, HFU {} {}", significant(step.hardware_tflops_per_gpu),
                                           percent(step.hfu), peak));
}

void write_time(Page& page, const Result& result) {
  constexpr std::size_t kBarWidth = 30;
  page.heading("WHERE EACH GPU-SECOND WENT, % of all GPUs' time");
  for (std::size_t i = 0; i < kLabelNames.size(); ++i) {
    const auto part = result.gpu_time.find(std::string(kLabelNames[i]));
    if (part == result.gpu_time.end() || part->second <= 0.0) continue;
    const auto length = static_cast<std::size_t>(std::lround(kBarWidth * std::clamp(part->second, 0.0, 1.0)));
    page.line(fmt::format("{:<18}{:>7}  {:<{}}  {}", part->first,
                          part->second < 0.0005 ? "< 0.1 %" : percent(part->second), std::string(length, '#'),
                          kBarWidth, kTimeMeanings[i]));
  }
  page.line(fmt::format("idle {} (no compute kernel runs); {} with any kernel, communication included",
                        percent(result.idle_fraction), percent(result.gpu_utilization)));
}

void write_links(Page& page, const std::vector<Result::LinkClass>& links) {
  if (links.empty()) return;
  page.heading("LINKS, share of their capacity");
  std::size_t width = 16;
  for (const auto& link : links) width = std::max(width, std::min<std::size_t>(printable(link.name).size(), 48));
  page.line(fmt::format("{:<{}}{:>11}{:>11}{:>15}", "", width, "mean", "peak", "saturated for"));
  for (const auto& link : links) {
    page.line(fmt::format("{:<{}.48}{:>11}{:>11}{:>15}", printable(link.name), width, percent(link.mean_load),
                          percent(link.peak_load), percent(link.saturated_share)));
  }
}

void write_stages(Page& page, const Result& result) {
  constexpr std::size_t kPerLine = 8;
  const auto& stages = result.by_stage;
  if (stages.size() < 2) return;
  page.heading("PIPELINE STAGES");
  const auto rows = [&](std::string_view what, auto figure) {
    for (std::size_t first = 0; first < stages.size(); first += kPerLine) {
      const std::size_t end = std::min(first + kPerLine, stages.size());
      std::string row = fmt::format("{:<18}{:>9}:", what, fmt::format("{}-{}", first, end - 1));
      for (std::size_t stage = first; stage < end; ++stage) row += fmt::format("{:>8.1f}", figure(stage));
      page.line(row);
    }
  };
  rows("idle, %, stage", [&](std::size_t stage) { return 100.0 * stages[stage].idle_fraction; });
  if (result.memory.by_stage.size() == stages.size()) {
    rows("memory, GiB, stage",
         [&](std::size_t stage) { return result.memory.by_stage[stage].total_bytes() / 1073741824.0; });
  }
}

void write_run(Page& page, const Result::Run& run) {
  page.heading("RUN");
  page.field("steps", grouped(static_cast<std::int64_t>(std::ceil(run.steps))));
  page.field("time to train", duration(run.time_to_train_s));
}

std::string basis(const Result::Interval& interval) {
  if (interval.rests_on.empty()) return "the 90 % interval is a guess: no measured run is like this one";
  return fmt::format("the 90 % interval rests on the errors of {}", fmt::join(interval.rests_on, "; "));
}

void write_notes(Page& page, const Result& result) {
  page.heading("NOTES");
  page.raw(bullet(printable(basis(result.step.interval)), kWidth));
  for (const std::string& note : result.notes) page.raw(bullet(printable(note), kWidth));
}

}  // namespace

std::string render_table(const Result& result, const TableStyle& style) {
  Page page(style);
  write_title(page, result);
  write_memory(page, result.memory);
  write_step(page, result.step);
  write_time(page, result);
  page.heading("BOTTLENECK: " + printable(result.bottleneck.resource));
  page.paragraph(result.bottleneck.why);
  write_links(page, result.links);
  write_stages(page, result);
  write_run(page, result.run);
  write_notes(page, result);
  return std::move(page).text();
}

}  // namespace trainsim
