// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/runs/run_snapshot.h"
#include "ui/pages/page.h"
#include "ui/widgets/card.h"

namespace cannery::ui {

class Label;

/// The next steps with a run that has ended, as buttons that take them with the run that the page
/// shows. Hidden while there is no model to take them with.
class WhatNow : public Card
{
    Q_OBJECT

public:
    /// `showsVerdict`: also what the run's numbers mean, where the page does not say it elsewhere.
    WhatNow(const PageContext& context, bool showsVerdict, QWidget* parent = nullptr);

    /// `state`: the engine's while it lives, otherwise the store's.
    void showRun(const RunRow& run, RunState state);

private:
    Label* m_words;
    bool m_showsVerdict;
};

} // namespace cannery::ui
