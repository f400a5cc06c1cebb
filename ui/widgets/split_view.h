// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QSplitter>

namespace cannery::ui {

/// A splitter whose handle looks like a hairline but is 7 px wide for the mouse, and is moved by
/// the arrow keys. The property "plain" hides the hairline if a pane draws its own edge.
class SplitView : public QSplitter
{
    Q_OBJECT

public:
    explicit SplitView(Qt::Orientation orientation, QWidget* parent = nullptr);

protected:
    QSplitterHandle* createHandle() override;
};

} // namespace cannery::ui
