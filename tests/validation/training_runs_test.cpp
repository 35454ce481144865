// The published training runs: almost all that say enough resolve, and a sample of them runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <thread>

#include "scenarios/validation/memory_validation.hpp"
#include "scenarios/validation/step_report.hpp"
#include "scenarios/validation/step_validation.hpp"

namespace trainsim {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

constexpr double kShare = 0.98;
constexpr std::size_t kSampled = 25;  // every so many rows

std::filesystem::path training_runs_path() {
  return std::filesystem::path(TRAINSIM_SOURCE_DIR) / "../shared/data/measured/training_runs.csv";
}

class TrainingRuns : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(training_runs_path())) {
      GTEST_SKIP() << "the published runs are not beside the project: " << training_runs_path();
    }
    rows_ = read_training_rows(training_runs_path());
    std::filesystem::remove_all(folder_);
  }
  ~TrainingRuns() override { std::filesystem::remove_all(folder_); }

  std::vector<RowOutcome> outcomes(const std::vector<TrainingRow>& rows, bool run) const {
    ReplayOptions options;
    options.run = run;
    options.jobs = std::max(1U, std::thread::hardware_concurrency());
    return replay(rows, options, folder_);
  }

  [[nodiscard]] std::vector<TrainingRow> complete_rows() const {
    std::vector<TrainingRow> complete;
    std::ranges::copy_if(rows_, std::back_inserter(complete),
                         [](const TrainingRow& row) { return scenario_of(row).says_enough(); });
    return complete;
  }

  [[nodiscard]] std::vector<std::string> lacks_of(const std::string& id) const {
    const auto row = std::ranges::find_if(rows_, [&](const TrainingRow& entry) { return entry.id() == id; });
    return row == rows_.end() ? std::vector<std::string>{} : scenario_of(*row).lacks;
  }

  [[nodiscard]] std::vector<SourceMemory> memory(const std::vector<TrainingRow>& rows) const {
    return memory_by_source(rows, memory_of(rows, {}, folder_));
  }

  std::vector<TrainingRow> rows_;

 private:
  std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
};

// Every kSampled-th row, and the first of each source.
std::vector<TrainingRow> sample(const std::vector<TrainingRow>& rows) {
  std::vector<TrainingRow> sampled;
  std::set<std::string> sources;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (sources.insert(rows[r].source()).second || r % kSampled == 0) sampled.push_back(rows[r]);
  }
  return sampled;
}

std::size_t count_reaching(const std::vector<RowOutcome>& outcomes, Reach reach) {
  return static_cast<std::size_t>(
      std::ranges::count_if(outcomes, [&](const RowOutcome& outcome) { return outcome.reach >= reach; }));
}

TEST_F(TrainingRuns, AlmostAllThatSayEnoughResolve) {
  const auto complete = complete_rows();
  EXPECT_GE(complete.size(), 1250U);  // of 1,309
  const auto found = outcomes(complete, false);
  EXPECT_GE(static_cast<double>(count_reaching(found, Reach::resolves)), kShare * static_cast<double>(complete.size()))
      << failures_list(complete, found, false);
}

TEST_F(TrainingRuns, ASampleRuns) {
  const auto sampled = sample(complete_rows());
  const auto found = outcomes(sampled, true);
  EXPECT_EQ(count_reaching(found, Reach::runs), sampled.size()) << failures_list(sampled, found, true);
  for (const RowOutcome& outcome : found) EXPECT_GT(outcome.predicted_s, 0.0);
}

// docs/validation.md is what `trainsim validate --page` writes; the quick sources are replayed here.
TEST_F(TrainingRuns, ThePageSaysWhatReplaysGive) {
  std::ifstream stream(std::filesystem::path(TRAINSIM_SOURCE_DIR) / "docs/validation.md");
  const std::string page{std::istreambuf_iterator<char>(stream), {}};
  const std::set<std::string> quick = {"mosaic_llmfoundry", "vtrain_multi", "torchtitan"};
  std::erase_if(rows_, [&](const TrainingRow& row) { return !quick.contains(row.source()); });
  const auto found = outcomes(rows_, true);
  for (const SourceErrors& source : errors_by_source(rows_, found)) {
    if (source.source == "all") continue;
    const std::string table = step_table({source});
    EXPECT_THAT(page, HasSubstr(table.substr(table.find('\n') + 1)));
    EXPECT_LE(source.errors.mean, 0.1) << source.source;
  }
}

TEST_F(TrainingRuns, PrintedMemoryIsPredictedAndPlansThatRanFit) {
  std::set<std::string> printing;
  for (const SourceMemory& source : memory(rows_)) {
    if (source.source == "all") {
      EXPECT_GE(static_cast<double>(source.fit), 0.96 * static_cast<double>(source.checked));
    }
    if (source.errors.n == 0 || source.source == "all") continue;
    printing.insert(source.source);
    EXPECT_LE(source.errors.mean, 0.11) << source.source;
    EXPECT_LE(source.errors.median, 0.075) << source.source;
  }
  EXPECT_THAT(printing, testing::ElementsAre("hf_ultrascale", "torchtitan"));
}

// Out of memory for the most part; the rest crashed or ran out of time.
TEST_F(TrainingRuns, MostPlansThatFailedAreSaidNotToFit) {
  const auto failed = read_untimed_rows(training_runs_path().replace_filename("failed_runs.csv"));
  const SourceMemory all = memory(failed).back();
  EXPECT_GE(all.checked, 400U);
  EXPECT_LE(static_cast<double>(all.fit), 0.2 * static_cast<double>(all.checked));
}

TEST_F(TrainingRuns, RowsThatContradictThemselvesAreNamed) {
  for (const char* id : {"nan0032", "nan0419", "nan0984", "nan1450"}) {
    EXPECT_THAT(lacks_of(id), Contains(HasSubstr("one global batch"))) << id;
  }
  EXPECT_THAT(lacks_of("mlp0141"), Contains(HasSubstr("whole sequences")));
  EXPECT_THAT(lacks_of("msc0003"), Contains(HasSubstr("degrees that multiply out")));
}

TEST_F(TrainingRuns, RowsWithoutDimensionsOrPlanAreNamed) {
  EXPECT_THAT(lacks_of("nem0012"), Contains(HasSubstr("dimensions of the model")));
  EXPECT_THAT(lacks_of("mlp0002"), Contains(HasSubstr("parallel plan")));
  EXPECT_THAT(lacks_of("pap0044"), Contains(HasSubstr("number of GPUs")));
}

}  // namespace
}  // namespace trainsim
