#include "simulator/cost/constants_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "simulator/cost/cost.hpp"
#include "simulator/cost/efficiency.hpp"

namespace trainsim {
namespace {

struct Meaning {
  std::string_view key;
  std::string_view unit;
  std::string_view text;
};

constexpr std::array kAcceleratorMeanings = {
    Meaning{"matmul.32-bit", "share",
            "of the fp32 peak that full tiles of large products reach; absent: that of 16-bit"},
    Meaning{"matmul.16-bit", "share", "the same of the TF32, FP16 and BF16 peaks, in bursts"},
    Meaning{"matmul.8-bit", "share", "the same of the FP8 and MXFP8 peaks, in bursts"},
    Meaning{"matmul.4-bit", "share", "the same of the NVFP4 peak, in bursts"},
    Meaning{"matmul.sustained", "share", "of the burst rate that remains in runs of more than a second"},
    Meaning{"matmul.units", "count", "matrix engines that share the tiles; absent: the processors"},
    Meaning{"attention.forward", "share", "of the 16-bit peak: long causal sequences, heads of 128, forward"},
    Meaning{"attention.backward", "share", "the same backward"},
    Meaning{"attention.half_length", "keys", "causal sequence on which fused attention reaches half of its rate"},
    Meaning{"attention.half_head_size", "elements", "head size below which exponentials bind rather than products"},
    Meaning{"attention.flash_2", "share", "of the newest generation's rate that flash-attn 2 reaches"},
    Meaning{"attention.flash_1", "share", "of the newest generation's rate that flash-attn 1 reaches"},
    Meaning{"memory.bandwidth", "share", "of the memory bandwidth that large passes reach"},
    Meaning{"kernel.launch", "s", "fixed time of one kernel on the GPU"}};

constexpr std::array kStackMeanings = {
    Meaning{"efficiency.matmul_factor", "factor", "on the accelerator's share for products"},
    Meaning{"efficiency.grouped_matmul_factor", "factor", "further, on products of which each expert has one"},
    Meaning{"efficiency.attention_factor", "factor", "on the accelerator's share for fused attention"},
    Meaning{"efficiency.optimizer_bandwidth_factor", "factor", "on the accelerator's share of memory bandwidth"},
    Meaning{"kernels.flash_attention", "fact", "generation of fused attention, by architecture; 0: unfused"},
    Meaning{"kernels.elementwise_pass_factor", "factor",
            "memory passes of norms, activations, residuals over the counted"},
    Meaning{"kernels.recomputes_attention_only", "fact", "selective recomputation is of the attention core"},
    Meaning{"kernels.fused_softmax_multiple", "count", "sequences x heads of a rank that one fused softmax takes"},
    Meaning{"kernels.loss_bytes_per_logit", "B", "traffic of the loss, forward and backward"},
    Meaning{"kernels.optimizer_bytes_per_parameter", "B", "traffic of the optimizer"},
    Meaning{"kernels.scales_inside_experts", "fact",
            "the router's probabilities multiply before an expert's last product"},
    Meaning{"kernels.activation_inputs_in_8_bits", "fact", "what the MLP's activation keeps for its backward pass"},
    Meaning{"kernels.overlaps_weight_gradient", "fact", "tensor-parallel communication beside weight gradients"},
    Meaning{"kernels.scatter_gather_pipeline", "fact", "messages between stages are cut over tensor ranks"},
    Meaning{"host.per_kernel", "s", "of the host for one launch"},
    Meaning{"host.per_micro_batch", "s", "of the host for one forward pass, launches aside"},
    Meaning{"host.per_step", "s", "of the host between steps"},
    Meaning{"host.waits_for_messages", "fact", "the host waits for messages between stages"},
    Meaning{"host.stall_per_tensor_rank", "factor", "by which launches take longer for each further tensor rank"},
    Meaning{"host.stall_per_tensor_rank_across_nodes", "factor", "the same where stages lie on several nodes"},
    Meaning{"noise.overlap_slowdown", "share", "by which kernels take longer beside a collective"},
    Meaning{"noise.kernel_jitter", "share", "standard deviation of a kernel's duration"},
    Meaning{"noise.chip_spread", "share", "standard deviation of speed over chips"},
    Meaning{"memory.framework", "B", "driver context and communication buffers"},
    Meaning{"memory.fragmentation", "share", "of the allocator's memory that holds nothing"},
    Meaning{"memory.loss_bytes_per_logit", "B", "kept by the loss"},
    Meaning{"memory.gradient_copy", "B", "of a second gradient, per parameter"},
    Meaning{"memory.activation_factor", "factor", "on the activations counted"},
    Meaning{"defaults.grad_dtype", "fact", "in which gradients are reduced"},
    Meaning{"defaults.reduces_every_micro_batch", "fact", "sharded gradients are not summed up first"},
    Meaning{"defaults.balances_context", "fact", "context ranks share causal work equally"},
    Meaning{"defaults.scaling", "fact", "scales of products below 16 bits"},
    Meaning{"defaults.overlap_gradient_reduce", "fact", "default of parallelism.overlap"},
    Meaning{"defaults.overlap_parameter_gather", "fact", "default of parallelism.overlap"},
    Meaning{"defaults.overlap_tensor", "fact", "default of parallelism.overlap"},
    Meaning{"defaults.overlap_pipeline", "fact", "default of parallelism.overlap"},
    Meaning{"defaults.bucket", "B", "of gradients that are reduced together"},
    Meaning{"defaults.bucket_per_data_rank", "B", "that a bucket has at least, for each rank that reduces it"}};

std::string meanings_table(std::span<const Meaning> meanings) {
  std::string text = "\n| constant | unit | meaning |\n|---|---|---|\n";
  for (const Meaning& meaning : meanings) {
    text += fmt::format("| `{}` | {} | {} |\n", meaning.key, meaning.unit, meaning.text);
  }
  return text;
}

std::string figures_table(const std::vector<WrittenFigure>& figures, std::span<const Meaning> meanings) {
  std::string text = "\n| constant | value | from |\n|---|---:|---|\n";
  for (const WrittenFigure& figure : figures) {
    if (std::ranges::find(meanings, figure.key, &Meaning::key) == meanings.end()) {
      throw std::logic_error("no meaning is written down for the constant " + figure.key);
    }
    text += fmt::format("| `{}` | {} | {} |\n", figure.key, figure.value,
                        figure.source.empty() ? "estimated" : figure.source);
  }
  return text;
}

std::string accelerators_part() {
  std::string text =
      "\n## Accelerators\n\nFrom `simulator/cost/catalog/accelerators`.\n" + meanings_table(kAcceleratorMeanings);
  for (const std::string& name : kernel_efficiency_names()) {
    const KernelEfficiency efficiency = kernel_efficiency(name);
    text += fmt::format("\n### {}: {} constants\n", name, efficiency.constants.size());
    text += figures_table(efficiency.constants, kAcceleratorMeanings);
  }
  return text;
}

std::string stacks_part() {
  std::string text =
      "\n## Software stacks\n\nFrom `simulator/cost/catalog/stacks`. Units say which are facts rather than "
      "constants.\n" +
      meanings_table(kStackMeanings) + "\n### Every stack, unless its own table says otherwise\n" +
      figures_table(shared_stack_figures(), kStackMeanings);
  for (const std::string& name : stack_names()) {
    const std::vector<WrittenFigure> figures = own_stack_figures(name);
    text += fmt::format("\n### {}: {} constants of its own\n", name, std::ranges::count_if(figures, is_constant));
    text += figures_table(figures, kStackMeanings);
  }
  return text;
}

}  // namespace

bool is_constant(const WrittenFigure& figure) {
  const auto meaning = std::ranges::find(kStackMeanings, figure.key, &Meaning::key);
  return meaning == kStackMeanings.end() || meaning->unit != "fact";
}

std::string constants_page() {
  return "# Constants\n\nWritten from the catalog by `./dev golden`; not edited. What the models do with them is on "
         "[models.md](models.md).\n" +
         accelerators_part() + stacks_part();
}

}  // namespace trainsim
