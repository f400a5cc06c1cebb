// SPDX-License-Identifier: GPL-3.0-only
#pragma once

namespace cannery::ui {

class BucketDivider;

/// Makes dividers sliders for assistive technology; once per program. GUI thread.
void installBucketAccessible();

/// Tells assistive technology that a divider has another value.
void notifyBucketMoved(BucketDivider& divider);

} // namespace cannery::ui
