#include "manager/cli/command_line.h"

int main(int argc, char** argv) { return fedra::cli::Main(argc, argv); }
