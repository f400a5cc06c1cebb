// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QSplitter>

namespace cannery::ui {

/// A splitter whose handle is a hairline but is caught 7 px wide, and moved by the arrow keys. The
/// property "plain" leaves the hairline away, where a pane draws its own edge.
class SplitView : public QSplitter
{
    Q_OBJECT

public:
    explicit SplitView(Qt::Orientation orientation, QWidget* parent = nullptr);

protected:
    QSplitterHandle* createHandle() override;
};

} // namespace cannery::ui
