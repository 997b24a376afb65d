#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What tools/clients/compare.py makes of verbose lines of this library and of oneDNN."""
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "clients"))
import compare  # noqa: E402

THEIRS = ("onednn_verbose,v1,primitive,exec,cpu,convolution,brdgmm_dw:avx512_core,forward_inference,src:f32:a:blocked:acdb::f0 "
          "wei:f32:a:blocked:debcA16a::f0 bia:undef::undef::: dst:f32:a:blocked:acdb::f0,attr-post-ops:eltwise_clip:0:6,"
          "alg:convolution_direct,g8mb1_ic8oc8_ih7oh7kh3sh1dh0ph1,0.5")
OURS = ("onednn_verbose,v1,primitive,exec,cpu,convolution,jit:avx2,forward_inference,src:f32:a:blocked:acdb::f0 "
        "wei:f32:a:blocked:debca::f0 dst:f32:a:blocked:acdb::f0,attr-post-ops:eltwise_clip:0:6,"
        "alg:convolution_direct,g8mb1_ic8oc8_ih7oh7kh3sh1dh0ph1,0.25")
REFUSED = ("onednn_verbose,v1,primitive,create:dispatch,lstm,lstm forward is not built in this version; reorder is,"
           "src/api/primitives/unbuilt.cpp:49")
PORTABLE = ("onednn_verbose,v1,primitive,create:dispatch,cpu,deconvolution,jit:avx2,forward_training,src:f32::blocked:ab::f0,,"
            "alg:deconvolution_direct,mb2_ic64oc32,step 4 (map): kernels compute in f32 and s32; this takes wider values")
INFO = "onednn_verbose,v1,info,cpu,runtime:OpenMP,nthr:2"


def fields(*lines):
    return [line.split(",") for line in lines]


class Lines(unittest.TestCase):
    def test_layers_of_both_have_one_key(self):
        ours, theirs = compare.layers(fields(OURS, OURS, INFO)), compare.layers(fields(THEIRS))
        self.assertEqual(list(ours), list(theirs))
        self.assertEqual(list(ours.values()), [[0.25, 0.25]])
        self.assertEqual(list(ours)[0], ("convolution", "forward_inference", "src:f32 wei:f32 dst:f32",
                                         "g8mb1_ic8oc8_ih7oh7kh3sh1dh0ph1"))

    def test_refusals_are_told_from_notes(self):
        refused, notes = compare.complaints(fields(INFO, OURS, REFUSED, REFUSED, PORTABLE))
        self.assertEqual(len(refused), 1)
        self.assertIn("lstm", refused[0])
        self.assertEqual(len(notes), 1)
        self.assertIn("wider values", notes[0])


if __name__ == "__main__":
    unittest.main()
