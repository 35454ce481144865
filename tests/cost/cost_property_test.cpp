#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "simulator/cost/cost.hpp"
#include "tests/cost/plain_machine.hpp"

namespace trainsim {
namespace {

MatMul any_product() {
  MatMul product;
  product.m = *rc::gen::inRange(1, 1 << 16);
  product.n = *rc::gen::inRange(1, 1 << 16);
  product.k = *rc::gen::inRange(1, 1 << 16);
  product.count = *rc::gen::inRange(1, 64);
  product.accumulates_fp32 = *rc::gen::arbitrary<bool>();
  return product;
}

FusedAttention any_attention() {
  FusedAttention attention;
  attention.batch = *rc::gen::inRange(1, 16);
  attention.heads = *rc::gen::inRange(1, 128);
  attention.queries = *rc::gen::inRange(1, 1 << 16);
  attention.keys = *rc::gen::inRange(16, 1 << 16);
  attention.attended_keys = attention.keys * *rc::gen::element(0.25, 0.5, 1.0);
  attention.qk_dim = *rc::gen::inRange(1, 256);
  attention.v_dim = *rc::gen::inRange(1, 256);
  attention.is_backward = *rc::gen::arbitrary<bool>();
  return attention;
}

MemoryBound any_pass() {
  MemoryBound pass;
  pass.bytes = *rc::gen::inRange(0, 1 << 30);
  pass.kernels = *rc::gen::inRange(0, 100);
  pass.is_optimizer = *rc::gen::arbitrary<bool>();
  return pass;
}

Work any_work() {
  Work work;
  work.kernels = {any_product(), any_attention(), any_pass(), HostTime{*rc::gen::inRange(0, 1000) * 1e-6}};
  return work;
}

TEST(CostProperties, EveryRateAndFixedTimeScaledTogetherScalesTheTime) {
  EXPECT_TRUE(rc::check([] {
    const double k = *rc::gen::inRange(1, 100) / 7.0;
    Work work = any_work();
    Accelerator accelerator = plain_accelerator();
    KernelEfficiency efficiency = plain_efficiency();
    const CostModel slow(accelerator, efficiency, plain_stack(), Tuning{}, "bf16");
    const double slow_s = slow.seconds(work);
    for (auto& peak : accelerator.peak_flops_per_s) peak.second *= k;
    accelerator.memory_bandwidth_bytes_per_s *= k;
    efficiency.launch_s /= k;
    std::get<HostTime>(work.kernels.back()).seconds /= k;
    const CostModel fast(accelerator, efficiency, plain_stack(), Tuning{}, "bf16");
    RC_ASSERT(std::abs(fast.seconds(work) * k / slow_s - 1.0) < 1e-12);
  }));
}

TEST(CostProperties, TimeNeverFallsAsAKernelGrows) {
  EXPECT_TRUE(rc::check([] {
    const CostModel model(plain_accelerator(), plain_efficiency(), plain_stack(), Tuning{}, "bf16");
    const MatMul product = any_product();
    for (double MatMul::*side : {&MatMul::m, &MatMul::n, &MatMul::k, &MatMul::count}) {
      MatMul larger = product;
      larger.*side += 1.0;
      RC_ASSERT(model.seconds(larger) >= model.seconds(product));
    }
    const FusedAttention attention = any_attention();
    for (double FusedAttention::*side :
         {&FusedAttention::batch, &FusedAttention::heads, &FusedAttention::queries, &FusedAttention::attended_keys,
          &FusedAttention::qk_dim, &FusedAttention::v_dim}) {
      FusedAttention larger = attention;
      larger.*side += 1.0;
      RC_ASSERT(model.seconds(larger) >= model.seconds(attention));
    }
    MemoryBound pass = any_pass();
    const double before_s = model.seconds(pass);
    pass.bytes += 1.0;
    RC_ASSERT(model.seconds(pass) >= before_s);
  }));
}

TEST(CostProperties, LessPowerNeverHelps) {
  EXPECT_TRUE(rc::check([] {
    const MatMul product = any_product();
    const std::string precision = *rc::gen::element<std::string>("bf16", "fp8");
    Accelerator accelerator = plain_accelerator();
    const CostModel whole(accelerator, plain_efficiency(), plain_stack(), Tuning{}, precision);
    accelerator.power_w *= *rc::gen::inRange(1, 100) / 100.0;
    const CostModel capped(accelerator, plain_efficiency(), plain_stack(), Tuning{}, precision);
    RC_ASSERT(capped.seconds(product) >= whole.seconds(product));
  }));
}

// In the large, waves are full and pipelines filled: k times the work takes k times as long, within what a wave is.
TEST(CostProperties, LargeProductsScaleWithEachDimension) {
  EXPECT_TRUE(rc::check([] {
    const CostModel model(plain_accelerator(), plain_efficiency(), plain_stack(), Tuning{}, "bf16");
    const MatMul product{.m = 8192.0 + *rc::gen::inRange(0, 8192), .n = 8192.0 + *rc::gen::inRange(0, 8192), .k = 8192};
    for (double MatMul::*side : {&MatMul::m, &MatMul::n, &MatMul::k}) {
      MatMul larger = product;
      larger.*side *= 4;
      const double ratio = model.seconds(larger) / model.seconds(product);
      RC_ASSERT(ratio > 3.6 && ratio < 4.1);
    }
  }));
}

TEST(CostProperties, NoKernelBeatsThePeakOrTheMemory) {
  EXPECT_TRUE(rc::check([] {
    const CostModel model(plain_accelerator(), plain_efficiency(), plain_stack(), Tuning{}, "bf16");
    const Work work = any_work();
    const double seconds = model.seconds(work);
    RC_ASSERT(CostModel::flops(work) / seconds <= 200e12);
    RC_ASSERT(model.memory_bound_seconds(work) <= seconds);
  }));
}

}  // namespace
}  // namespace trainsim
