// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QObject>
#include <QThreadPool>

#include <memory>
#include <utility>

namespace cannery::ui {

/// Runs `work` on the pool, then `then(result)` in the thread of `context`. The pool must finish
/// before `context` is destroyed; a later result is dropped.
template <typename Work, typename Then>
void inBackground(QThreadPool& pool, QObject* context, Work work, Then then)
{
    pool.start([context, work = std::move(work), then = std::move(then)]() mutable {
        auto result = std::make_shared<decltype(work())>(work());
        QMetaObject::invokeMethod(
            context, [result, then = std::move(then)]() mutable { then(std::move(*result)); },
            Qt::QueuedConnection);
    });
}

} // namespace cannery::ui
