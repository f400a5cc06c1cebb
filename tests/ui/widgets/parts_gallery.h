// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <memory>

class QWidget;

namespace cannery::tests {

/// All small widgets of the window in every state.
std::unique_ptr<QWidget> makePartsGallery();

} // namespace cannery::tests
