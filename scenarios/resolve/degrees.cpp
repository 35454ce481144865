#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

#include "scenarios/resolve/plan.hpp"

namespace trainsim {

std::int64_t saturating_product(std::initializer_list<std::int64_t> factors) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  std::int64_t product = 1;
  for (const std::int64_t factor : factors) product = product > kMost / factor ? kMost : product * factor;
  return product;
}

std::string divisors_near(std::int64_t number, std::int64_t value) {
  std::int64_t below = std::min(value, number);
  while (number % below != 0) --below;
  std::int64_t above = std::min(value, number);
  while (number % above != 0) ++above;
  return above == below ? fmt::format("{}", below) : fmt::format("{} or {}", below, above);
}

namespace {

struct Degree {
  std::string_view name;
  std::int64_t value;
};

// Points at the first degree that does not divide what the ones before it leave.
void report_indivisible(const ParallelismSection& parallelism, std::int64_t gpus, Findings& findings) {
  const std::array<Degree, 3> degrees = {
      {{"tensor", parallelism.tensor}, {"context", parallelism.context}, {"pipeline", parallelism.pipeline}}};
  std::int64_t left = gpus;
  for (const Degree& degree : degrees) {
    if (left % degree.value == 0) {
      left /= degree.value;
      continue;
    }
    findings.fault(
        fmt::format("parallelism.{}", degree.name),
        fmt::format("tensor {} x context {} x pipeline {} does not divide the job's {} GPUs", parallelism.tensor,
                    parallelism.context, parallelism.pipeline, gpus),
        fmt::format("a {} that divides {}, such as {}", degree.name, left, divisors_near(left, degree.value)));
    return;
  }
}

}  // namespace

bool resolve_data_degree(ParallelismSection& parallelism, std::int64_t gpus, Findings& findings) {
  const std::int64_t per_replica = saturating_product({parallelism.tensor, parallelism.context, parallelism.pipeline});
  if (gpus % per_replica != 0) {
    report_indivisible(parallelism, gpus, findings);
    return false;
  }
  const std::int64_t left = gpus / per_replica;
  if (!parallelism.data) parallelism.data = left;
  if (*parallelism.data == left) return true;
  findings.fault("parallelism.data",
                 fmt::format("tensor {} x context {} x data {} x pipeline {} = {}, but the job has {} GPUs",
                             parallelism.tensor, parallelism.context, *parallelism.data, parallelism.pipeline,
                             saturating_product({per_replica, *parallelism.data}), gpus),
                 fmt::format("{}, or auto", left));
  return false;
}

}  // namespace trainsim
