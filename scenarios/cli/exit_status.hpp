// What the program's exit status means (docs/result.md).
#pragma once

namespace trainsim {

enum ExitStatus : int {
  kDone = 0,
  kDoesNotFit = 1,      // done, and the plan does not fit into the GPUs' memory
  kBadInput = 2,        // a file, an option, a feature not supported yet, --max-events
  kNotWritten = 3,      // a result could not be written
  kInternalError = 70,  // a deadlock included
};

}  // namespace trainsim
