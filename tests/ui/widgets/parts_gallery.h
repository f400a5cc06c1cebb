// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <memory>

class QWidget;

namespace cannery::tests {

/// Every small part of the window in every state, as the pictures of the look show them.
std::unique_ptr<QWidget> makePartsGallery();

} // namespace cannery::tests
