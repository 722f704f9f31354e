// SPDX-License-Identifier: MIT
// linux/kfd_ioctl.h includes <drm/drm.h>, which Debian leaves to libdrm-dev in another folder. These two are all it needs.
#pragma once

#include <linux/ioctl.h>
#include <linux/types.h>
