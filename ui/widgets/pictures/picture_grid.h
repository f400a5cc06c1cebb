// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QListView>

namespace cannery::ui {

class Thumbnails;

/// Pictures side by side, each with a caption of one or two lines; a file that is no picture says
/// so. Its model has a row for each, with the roles of PictureRole. GUI thread.
class PictureGrid : public QListView
{
    Q_OBJECT

public:
    explicit PictureGrid(QWidget* parent = nullptr);

    Thumbnails& thumbnails() { return *m_thumbnails; }

Q_SIGNALS:
    /// By a double click or Enter.
    void opened(const QString& file);

protected:
    void scrollContentsBy(int dx, int dy) override;

private:
    class Delegate;
    Thumbnails* m_thumbnails;
};

} // namespace cannery::ui
