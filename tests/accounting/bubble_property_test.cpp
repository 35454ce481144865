// With instant links, equal GPUs, equal stages (embedding, head, loss and optimizer at no cost), no jitter and no host
// time, all idle time is bubble and equals the schedule's textbook fraction. And always: the parts sum to 1.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "simulator/accounting/accounting.hpp"
#include "tests/engine/play_fixture.hpp"
#include "workloads/build_program.hpp"

namespace trainsim {
namespace {

Model small_model(std::int64_t layers) {
  Model model;
  model.layers = layers;
  model.hidden_size = 64;
  model.ffn_hidden_size = 256;
  model.attention_heads = 4;
  model.kv_heads = 4;
  model.head_dim = 16;
  model.vocab_size = 128;
  model.tied_embeddings = true;
  return model;
}

Plan pipeline_plan(std::int64_t stages, std::int64_t chunks, std::int64_t micro_batches) {
  Plan plan;
  plan.pipeline = stages;
  plan.virtual_stages = chunks;
  plan.schedule = chunks > 1 ? ScheduleKind::interleaved : ScheduleKind::one_f_one_b;
  plan.layers_per_chunk.assign(static_cast<std::size_t>(stages * chunks), 2);
  plan.micro_batches = micro_batches;
  plan.global_batch_size = micro_batches;
  plan.sequence_length = 32;
  plan.overlap.pipeline = true;
  return plan;
}

bool is_layer_work(const Work& work) { return work.name.starts_with("attention") || work.name.starts_with("mlp"); }

// Layers take `forward_s` per forward work and twice that per backward work; everything else is free.
Play play_of(const Plan& plan, double forward_s) {
  Play play;
  play.program = build_program(small_model(plan.chunks() * 2), plan, {});
  for (const Work& work : play.program.works) {
    const double factor = work.activity == Activity::backward ? 2.0 : 1.0;
    play.work_s.push_back(is_layer_work(work) ? forward_s * factor : 0.0);
  }
  play.quotient = fold(instant_network(play.program, plan));
  return play;
}

TimeSplit split_of(const Play& prepared) {
  const Timeline timeline = play(prepared);
  const PlayedSteps played{prepared.program, prepared.work_s, prepared.quotient, timeline};
  return mean_split(played, account(played));
}

double total(const TimeSplit& split) {
  double sum = 0.0;
  for (const double share : split) sum += share;
  return sum;
}

double share(const TimeSplit& split, Label label) { return split[static_cast<std::size_t>(label)]; }

// (p - 1) / (m v + p - 1): Narayanan et al., arXiv 2104.04473, section 2.2, as a share of the step.
double textbook_bubble(const Plan& plan) {
  const double idle = static_cast<double>(plan.pipeline - 1);
  return idle / (static_cast<double>(plan.micro_batches * plan.virtual_stages) + idle);
}

void expect_textbook_bubble(const Plan& plan) {
  const TimeSplit split = split_of(play_of(plan, 0.001));
  RC_ASSERT(std::abs(total(split) - 1.0) < 1e-9);
  RC_ASSERT(std::abs(idle_fraction(split) - textbook_bubble(plan)) < 1e-9);
  RC_ASSERT(std::abs(share(split, Label::bubble) - textbook_bubble(plan)) < 1e-9);
}

TEST(Bubble, OfOneForwardOneBackwardIsTheTextbooks) {
  EXPECT_TRUE(rc::check([] {
    const auto stages = *rc::gen::inRange<std::int64_t>(1, 9);
    const auto micro_batches = *rc::gen::inRange<std::int64_t>(1, 20);
    expect_textbook_bubble(pipeline_plan(stages, 1, micro_batches));
  }));
}

TEST(Bubble, OfGPipeIsTheTextbooks) {
  EXPECT_TRUE(rc::check([] {
    const auto stages = *rc::gen::inRange<std::int64_t>(1, 9);
    Plan plan = pipeline_plan(stages, 1, *rc::gen::inRange<std::int64_t>(1, 20));
    plan.schedule = ScheduleKind::gpipe;
    expect_textbook_bubble(plan);
  }));
}

TEST(Bubble, OfTheInterleavedScheduleIsDividedByItsChunks) {
  EXPECT_TRUE(rc::check([] {
    const auto stages = *rc::gen::inRange<std::int64_t>(2, 7);
    const auto chunks = *rc::gen::inRange<std::int64_t>(2, 5);
    const auto groups = *rc::gen::inRange<std::int64_t>(1, 5);
    expect_textbook_bubble(pipeline_plan(stages, chunks, groups * stages));
  }));
}

TEST(Stragglers, TheirExcessIsStragglerWaitForTheOthers) {
  const Plan plan = pipeline_plan(1, 1, 4);
  Plan two_ranks = plan;
  two_ranks.data = 2;
  two_ranks.global_batch_size = 8;
  Play prepared;
  prepared.program = build_program(small_model(2), two_ranks, {});
  for (const Work& work : prepared.program.works) prepared.work_s.push_back(is_layer_work(work) ? 0.001 : 0.0);
  Network network = instant_network(prepared.program, two_ranks);
  network.ranks[1].slowdown = 1.25;
  prepared.quotient = fold(network);
  ASSERT_EQ(prepared.quotient.ranks.size(), 2U);
  const Timeline timeline = play(prepared);
  const PlayedSteps played{prepared.program, prepared.work_s, prepared.quotient, timeline};
  const Accounting accounting = account(played);
  EXPECT_NEAR(share(accounting.by_rank_class[0], Label::compute), 0.8, 1e-9);
  EXPECT_GT(share(accounting.by_rank_class[0], Label::straggler_wait), 0.0);
  const double waited =
      share(accounting.by_rank_class[0], Label::straggler_wait) + share(accounting.by_rank_class[0], Label::bubble);
  EXPECT_NEAR(waited, 0.2, 1e-9);  // links are instant: all the rest of the step is a wait for the slow rank
  EXPECT_NEAR(total(accounting.by_rank_class[0]), 1.0, 1e-9);
  EXPECT_NEAR(share(accounting.by_rank_class[1], Label::compute), 1.0, 1e-9);
}

}  // namespace
}  // namespace trainsim
