// One layer of a 22B GPT on eight A100, micro-batch 4, tensor 8, against the times that arXiv 2205.05198 table 4
// publishes. No constant here or in the catalog was fitted to them.
#include <gtest/gtest.h>

#include "simulator/cost/cost.hpp"
#include "tests/lowering/machines.hpp"
#include "topologies/catalog.hpp"
#include "workloads/presets.hpp"
#include "workloads/transformer_layer.hpp"

namespace trainsim {
namespace {

constexpr double kTolerance = 0.10;

class GptLayerOnA100 : public testing::Test {
 protected:
  GptLayerOnA100()
      : model_(preset_model("gpt-22b")),
        node_(catalog_node("hgx-a100-80g")),
        machine_(node_, round_fabric(1), collective_catalog("infiniband", node_.accelerator.architecture)),
        stack_(catalog_stack("megatron-2022", node_.accelerator.architecture)),
        cost_(node_.accelerator, kernel_efficiency(node_.accelerator.name), stack_, Tuning{}, "fp16") {
    plan_.tensor = 8;
    plan_.micro_batch_size = 4;
    plan_.sequence_length = 2048;
    plan_.precision = "fp16";
    plan_.grad_dtype = "fp32";
  }

  [[nodiscard]] double seconds(const std::vector<Kernel>& kernels) const {
    Work work;
    work.kernels = kernels;
    return cost_.seconds(work);
  }
  [[nodiscard]] double forward_s(const BlockKernels& block) const {
    return seconds(block.lead) + seconds(block.column_product) + seconds(block.core) + seconds(block.row_product);
  }
  [[nodiscard]] double collective_s(CollectiveKind kind) const {
    return machine_.time_s(machine_.transfer(kind, hidden_bytes(model_, plan_), "auto"));
  }
  // A tensor collective beside the weight gradient of the product that fed it.
  [[nodiscard]] double backward_s(const BlockKernels& block, double collective_s) const {
    return seconds(block.row_data_gradient) + seconds(block.backward) + seconds(block.core_backward) +
           seconds(block.data_gradient) + std::max(seconds(block.weight_gradient), collective_s);
  }

  Model model_;
  NodeSpec node_;
  Machine machine_;
  Stack stack_;
  CostModel cost_;
  Plan plan_;
};

TEST_F(GptLayerOnA100, BaselineIsNearThePublishedTime) {
  const BlockKernels attention = attention_block(model_, {}, plan_, stack_.kernels);
  const BlockKernels mlp = mlp_block(model_, plan_, stack_.kernels);
  const double all_reduce_s = collective_s(CollectiveKind::all_reduce);
  EXPECT_NEAR(forward_s(attention) + forward_s(mlp) + 2 * all_reduce_s, 7.7e-3, kTolerance * 7.7e-3);
  EXPECT_NEAR(backward_s(attention, all_reduce_s) + backward_s(mlp, all_reduce_s), 11.9e-3, kTolerance * 11.9e-3);
}

TEST_F(GptLayerOnA100, SequenceParallelismIsNearThePublishedTime) {
  plan_.sequence_parallel = true;
  const BlockKernels attention = attention_block(model_, {}, plan_, stack_.kernels);
  const BlockKernels mlp = mlp_block(model_, plan_, stack_.kernels);
  const double gather_s = collective_s(CollectiveKind::all_gather);
  const double scatter_s = collective_s(CollectiveKind::reduce_scatter);
  EXPECT_NEAR(forward_s(attention) + forward_s(mlp) + 2 * (gather_s + scatter_s), 7.2e-3, kTolerance * 7.2e-3);
  // Backward: gather the gradient, scatter it again beside the weight gradient.
  EXPECT_NEAR(backward_s(attention, scatter_s) + backward_s(mlp, scatter_s) + 2 * gather_s, 11.8e-3,
              kTolerance * 11.8e-3);
}

}  // namespace
}  // namespace trainsim
