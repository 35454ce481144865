#include "simulator/cost/constants_page.hpp"

#include <array>
#include <stdexcept>
#include <string_view>

#include "simulator/cost/efficiency.hpp"

namespace trainsim {
namespace {

struct Meaning {
  std::string_view key;
  std::string_view unit;
  std::string_view text;
};

constexpr std::array kMeanings = {
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

const Meaning& meaning_of(const std::string& key) {
  for (const Meaning& meaning : kMeanings) {
    if (meaning.key == key) return meaning;
  }
  throw std::logic_error("no meaning is written down for the constant " + key);
}

std::string accelerator_section(const std::string& name) {
  const KernelEfficiency efficiency = kernel_efficiency(name);
  std::string text = "\n### " + name + ": " + std::to_string(efficiency.constants.size()) + " constants\n\n";
  text += "| constant | value | from |\n|---|---:|---|\n";
  for (const WrittenFigure& figure : efficiency.constants) {
    meaning_of(figure.key);
    text += "| `" + figure.key + "` | " + figure.value + " | " + (figure.source.empty() ? "estimated" : figure.source) +
            " |\n";
  }
  return text;
}

}  // namespace

std::string constants_page() {
  std::string text =
      "# Kernel constants\n\nWritten from `simulator/cost/catalog/accelerators` by `./dev golden`; not edited. What "
      "the "
      "models do with them is on [models.md](models.md).\n\n| constant | unit | meaning |\n|---|---|---|\n";
  for (const Meaning& meaning : kMeanings) {
    text += "| `" + std::string(meaning.key) + "` | " + std::string(meaning.unit) + " | " + std::string(meaning.text) +
            " |\n";
  }
  text += "\n## By accelerator\n";
  for (const std::string& name : kernel_efficiency_names()) text += accelerator_section(name);
  return text;
}

}  // namespace trainsim
