#include "workloads/block_works.hpp"

#include <initializer_list>
#include <utility>
#include <variant>

namespace trainsim {
namespace {

Kernels joined(std::initializer_list<const Kernels*> parts) {
  Kernels all;
  for (const Kernels* part : parts) append(all, *part);
  return all;
}

// One of kTensorOverlapPieces of each product, cut along the tokens.
Kernels piece_of(Kernels products) {
  for (Kernel& kernel : products) std::get<MatMul>(kernel).m /= kTensorOverlapPieces;
  return products;
}

class BlockWorks {
 public:
  BlockWorks(std::string name, const BlockKernels& kernels, const Overlaps& overlaps, const ContextExchange& exchange,
             ContentTable& table)
      : name_(std::move(name)), kernels_(kernels), overlaps_(overlaps), exchange_(exchange), table_(table) {}

  BlockContents contents(RecomputeKind recompute) {
    BlockContents contents;
    contents.forward = forward("forward", Activity::forward);
    if (recompute == RecomputeKind::full) contents.full_recompute = forward("recompute", Activity::recompute);
    if (recompute == RecomputeKind::selective) {
      contents.selective_recompute = work("selective recompute", Activity::recompute, kernels_.selective);
    }
    add_backward(contents);
    return contents;
  }

 private:
  Content work(const std::string& what, Activity activity, Kernels kernels) {
    return table_.work(name_ + " " + what, activity, std::move(kernels));
  }

  // The core by itself, where context parallelism exchanges something.
  CoreContents core(const std::string& what, Activity activity, const Kernels& kernels) {
    CoreContents core;
    core.piece = work(what, activity, kernels);
    core.pieces = kernels_.core_pieces;
    if (activity == Activity::backward) {
      core.exchange = exchange_.backward;
      core.last_exchange = exchange_.forward;  // as large as the gradients alone
      core.enter = exchange_.leave;
      core.leave = exchange_.enter;
    } else {
      core.exchange = exchange_.forward;
      core.enter = exchange_.enter;
      core.leave = exchange_.leave;
    }
    return core;
  }

  ForwardContents forward(const std::string& what, Activity activity) {
    const Kernels none;
    const Kernels& lead = kernels_.lead;
    const Kernels& column = overlaps_.gather ? none : kernels_.column_product;
    const Kernels& row = overlaps_.reduce ? none : kernels_.row_product;
    ForwardContents contents;
    if (overlaps_.gather) {
      contents.lead = work(what + " lead", activity, lead);
      contents.column_piece = work(what + " column piece", activity, piece_of(kernels_.column_product));
    }
    if (overlaps_.reduce) contents.row_piece = work(what + " row piece", activity, piece_of(kernels_.row_product));
    const Kernels& own_lead = overlaps_.gather ? none : lead;
    if (!exchange_.is_there()) {
      contents.middle = work(what, activity, joined({&own_lead, &column, &kernels_.core, &row}));
      return contents;
    }
    contents.middle = work(what + " before core", activity, joined({&own_lead, &column}));
    contents.core = core(what + " core", activity, kernels_.core);
    contents.after_core = work(what + " after core", activity, row);
    return contents;
  }

  void add_backward(BlockContents& contents) {
    const Kernels none;
    const Kernels& row = overlaps_.gather ? none : kernels_.row_data_gradient;
    const Kernels& data = overlaps_.data_gradient ? none : kernels_.data_gradient;
    const Kernels& weight = overlaps_.weight_gradient ? none : kernels_.weight_gradient;
    const Activity activity = Activity::backward;
    if (overlaps_.gather) {
      contents.row_gradient_piece = work("row gradient piece", activity, piece_of(kernels_.row_data_gradient));
    }
    if (exchange_.is_there()) {
      contents.backward = work("backward before core", activity, joined({&row, &kernels_.backward}));
      contents.core_backward = core("backward core", activity, kernels_.core_backward);
      contents.after_core_backward = work("backward after core", activity, joined({&data, &weight}));
    } else {
      contents.backward =
          work("backward", activity, joined({&row, &kernels_.backward, &kernels_.core_backward, &data, &weight}));
    }
    if (overlaps_.data_gradient) contents.data_gradient = work("data gradient", activity, kernels_.data_gradient);
    if (overlaps_.weight_gradient)
      contents.weight_gradient = work("weight gradient", activity, kernels_.weight_gradient);
  }

  std::string name_;
  const BlockKernels& kernels_;
  Overlaps overlaps_;
  ContextExchange exchange_;
  ContentTable& table_;
};

}  // namespace

BlockContents block_contents(const std::string& name, const BlockKernels& kernels, const Overlaps& overlaps,
                             const ContextExchange& exchange, RecomputeKind recompute, ContentTable& table) {
  return BlockWorks(name, kernels, overlaps, exchange, table).contents(recompute);
}

}  // namespace trainsim
