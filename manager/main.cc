#include "base/out_of_memory.h"
#include "manager/cli/command_line.h"

int main(int argc, char** argv) {
  fedra::EndWhenOutOfMemory();
  return fedra::cli::Main(argc, argv);
}
