# The rules of the house that a script can check, as data, with their exceptions and the reason of each. Included by the
# checks in this folder.

# Folders in the one direction of includes: a folder may include itself and those listed before it.
set(FOLDER_ORDER
  simulator/base
  simulator/input
  topologies
  workloads
  simulator/conditions
  simulator/timeline
  simulator/cost
  simulator/lowering
  simulator/folding
  simulator/engine
  simulator/accounting
  simulator/forecast
  scenarios/format
  scenarios/resolve
  scenarios/run
  scenarios/report
  scenarios/validation
  scenarios/calibration
  scenarios/cli)

# What hardware is and what is trained on it are independent of each other, whatever the order: "from>to" pairs.
set(FORBIDDEN_ARROWS workloads>topologies topologies>workloads)

# The only folders that may include <simgrid/...>: the engine, and the tests of what it configures.
set(SIMGRID_FOLDERS simulator/engine tests/engine)

# The command line talks to the terminal and ends the program; everything else returns values and throws.
set(PRINTING_FOLDERS scenarios/cli)
set(PRINTING "std::(cout|cerr|clog)|[^a-z_](printf|fprintf|puts|putchar)[(]|fmt::print[(]")
set(ENDING "[^A-Za-z_](exit|_exit|_Exit|quick_exit|abort|std::terminate)[(]")

set(MAX_LINES 500)

# Words that say nothing about what a thing is. A file, folder or type has none of them as a word of its name; a function
# does not begin with one of the verbs.
set(EMPTY_WORDS util utils manager helper helpers common process)
set(EMPTY_VERBS do_ handle_ process_ manage_ help_)

# Exceptions: "path|rule" lines, rule one of arrow, simgrid, printing, ending, lines, name.
set(EXCEPTIONS
  # the forked child that plays must leave without running the exit handlers of the program it was forked from
  simulator/engine/isolated_play.cpp|ending
  # so must a child that works for its parent
  scenarios/run/child_pool.cpp|ending)
