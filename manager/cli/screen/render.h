#pragma once
//
// The model as a frame. Pure.

#include "manager/cli/screen/frame.h"
#include "manager/cli/screen/model.h"

namespace fedra::cli::screen {

// As many lines as the model's size has, none wider than it, all printable.
Frame Render(const Model& model);

}  // namespace fedra::cli::screen
