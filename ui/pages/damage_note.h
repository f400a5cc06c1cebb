// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QList>
#include <QString>

namespace cannery::ui {

struct Curve;
class SeriesStore;

/// What a card says of curves whose event file is damaged and ends too early: "damaged after step
/// 1,650", with the run's name if there are several curves. Empty if they are whole.
QString damageNote(const SeriesStore& store, const QList<Curve>& curves);

} // namespace cannery::ui
