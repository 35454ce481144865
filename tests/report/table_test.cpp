#include "scenarios/report/table.hpp"

#include <gmock/gmock.h>

#include <sstream>

#include "tests/report/sample_result.hpp"

namespace trainsim {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Table, ReadsFromTopToBottom) {
  EXPECT_EQ(render_table(sample_result()), R"(two-stages
  gpt3-175b (174.6B parameters) on 1,536 a100-sxm-80g in 192 nodes
  tensor 8, pipeline 2, data 96; 16 micro-batches per step; 48 layers per stage

FITS: a GPU of the fullest stage (0) needs 61.5 GiB of its 79.2 GiB, 17.8 GiB to spare
  weights               20.0 GiB   32.5 %  the largest part
  gradients             20.0 GiB   32.5 %
  optimizer             15.0 GiB   24.4 %
  activations            4.0 GiB    6.5 %
  buffers                1.0 GiB    1.6 %
  framework              1.5 GiB    2.4 %
  micro-batch         up to 2 sequences would fit

STEP
  time                20.83 s  (mean of 2 measured steps)
  90 % interval       19 s to 22.5 s
  throughput          150,987 tokens/s, 98.3 tokens/s per GPU, 73.72 samples/s
  model FLOPs         138.2 TFLOP/s per GPU, MFU 44.3 % of the peak 312 TFLOP/s
  hardware FLOPs      184.3 TFLOP/s per GPU, HFU 59.1 % of the peak 312 TFLOP/s

WHERE EACH GPU-SECOND WENT, % of all GPUs' time
  compute            61.0 %  ##################              forward and backward kernels
  recompute          10.0 %  ###                             forward kernels run a second time
  optimizer           1.0 %                                  the weight update
  exposed_tensor     12.0 %  ####                            waiting for tensor-parallel transfers
  bubble             16.0 %  #####                           waiting for kernels of other ranks
  host              < 0.1 %                                  launch gaps and framework work
  idle 28.0 % (no compute kernel runs); 84.0 % with any kernel, communication included

BOTTLENECK: nvlink
  12.0 % of the GPUs' time waits for tensor-parallel transfers, which fill the nvlink links.

LINKS, share of their capacity
                         mean       peak  saturated for
  nvlink               40.0 %    100.0 %         20.0 %
  nic                   5.0 %     50.0 %          0.0 %

PIPELINE STAGES
  idle, %, stage          0-1:    30.0    26.0
  memory, GiB, stage      0-1:    61.5    59.5

RUN
  steps               95,368
  time to train       23 days

NOTES
  - the 90 % interval rests on the errors of 9 dense runs of megatron-2022
  - the efficiency of a100-sxm-80g is estimated
)");
}

TEST(Table, SaysWhatDoesNotFitByHowMuchAndWhy) {
  Result result = sample_result();
  result.memory.fits = false;
  result.memory.capacity_bytes = 50.0 * 1073741824.0;
  result.memory.largest_micro_batch = 0;
  const std::string table = render_table(result);
  EXPECT_THAT(
      table,
      HasSubstr("DOES NOT FIT: a GPU of the fullest stage (0) needs 61.5 GiB of its 50.0 GiB, 11.5 GiB too much"));
  EXPECT_THAT(table, HasSubstr("the largest part"));
  EXPECT_THAT(table, HasSubstr("not even one sequence would fit"));
}

TEST(Table, HasNoColourUnlessAsked) {
  EXPECT_THAT(render_table(sample_result()), Not(HasSubstr("\x1b")));
  EXPECT_THAT(render_table(sample_result(), {true}), HasSubstr("\x1b[1;32mFITS\x1b[0m"));
}

TEST(Table, IsAtMostAHundredColumnsWide) {
  Result result = sample_result();
  result.bottleneck.why = std::string(30, 'w') + " " + std::string(60, 'x') + " " + std::string(20, 'y');
  result.by_stage.assign(64, result.by_stage.front());
  result.memory.by_stage.assign(64, result.memory.by_stage.front());
  result.plan.pipeline = 64;
  result.plan.layers_per_stage.assign(64, 1);
  for (std::size_t i = 0; i < 64; i += 2) result.plan.layers_per_stage[i] = 2;
  result.links.push_back({std::string(90, 'l'), 0.1, 0.2, 0.3});
  std::istringstream lines(render_table(result));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
}

TEST(Table, ListsAChunkPerVirtualStage) {
  Result result = sample_result();
  result.plan.layers_per_stage = {23, 25, 25, 23};
  EXPECT_THAT(render_table(result), HasSubstr("layers in each of 4 chunks 23, 25 x2, 23"));
}

TEST(Table, EscapesWhatATerminalWouldObey) {
  Result result = sample_result();
  result.scenario = "a\x1b[2Jb";
  EXPECT_THAT(render_table(result), HasSubstr("a\\x1b[2Jb"));
}

}  // namespace
}  // namespace trainsim
